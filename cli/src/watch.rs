//! `anywarp run --watch`: a kernel that runs again whenever its text changes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anywarp::{Device, Kernel};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::run;

/// How often the files are looked at. They are read: what a file system says of their age is coarse on
/// some systems and late on others.
const INTERVAL: Duration = Duration::from_millis(150);

/// How often in a row the file is not there before that is reported: editors that save by renaming take it away for a
/// moment.
const ABSENT: u32 = 4;
/// How often in a row the text is wrong before that is reported: some editors write it piece by piece.
const WRONG: u32 = 2;

/// Runs the kernel, and again after every change, until the process is ended. A text that is wrong is reported
/// once, as is a file that is gone, and the kernel before it stays.
pub(crate) fn watch(arguments: &RunArgs, json: bool) -> Result<(), Failure> {
    if arguments.file.as_os_str() == "-" {
        return Err(Failure::Usage(
            "--watch: expected FILE, found '-': stdin is read only once: write the kernel to a file".to_owned(),
        ));
    }
    let device = run::open(arguments)?;
    let file = arguments.file.display();
    let mut kernel = None;
    let mut wrong = String::new();
    let mut times = 0;
    let mut absent = 0;
    loop {
        let start = Instant::now();
        if arguments.file.exists() {
            if absent >= ABSENT {
                say(&format!("{file} is back"), json);
                // The file that came may be the one that went.
                kernel = None;
            }
            absent = 0;
            match current(&device, &mut kernel, arguments) {
                Ok(changed) => {
                    wrong.clear();
                    if let Some(kernel) = changed
                        && let Err(failure) = run::run_kernel(&device, kernel, start.elapsed(), arguments, json)
                    {
                        failure.print(json);
                    }
                }
                Err(failure) => {
                    let message = failure.to_string();
                    times = if message == wrong { times + 1 } else { 1 };
                    wrong = message;
                    if times == WRONG {
                        failure.print(json);
                    }
                }
            }
        } else {
            absent += 1;
            if absent == ABSENT {
                say(&format!("{file} is not there; the kernel runs again when it comes back"), json);
            }
        }
        sleep(INTERVAL);
    }
}

/// Prints a message that is no error to stderr: the reports have stdout for themselves.
fn say(message: &str, json: bool) {
    if json {
        eprintln!("{}", serde_json::json!({ "watch": message }));
    } else {
        eprintln!("watch: {message}");
    }
}

/// The kernel as its files have it now, if that is another one than before.
fn current<'a>(
    device: &Device,
    kernel: &'a mut Option<Kernel>,
    arguments: &RunArgs,
) -> Result<Option<&'a Kernel>, Failure> {
    if let Some(kernel) = kernel {
        return Ok(kernel.reload()?.then_some(kernel));
    }
    let made = run::compile(device, arguments.composition.read(&arguments.file)?, arguments)?;
    Ok(Some(kernel.insert(made)))
}
