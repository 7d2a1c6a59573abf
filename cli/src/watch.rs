//! `anywarp run --watch`: runs a kernel again whenever its text changes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anywarp::{Device, Kernel};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::run;

/// The interval between two checks of the files. Their content is read, because modification times are coarse on some
/// file systems and late on others.
const INTERVAL: Duration = Duration::from_millis(150);

/// The number of consecutive checks without the file before that is reported: editors that save by renaming remove it
/// for a moment.
const ABSENT: u32 = 4;
/// The number of consecutive checks with an invalid text before that is reported: some editors write in pieces.
const WRONG: u32 = 2;

/// Runs the kernel, and again after every change, until the process is ended. An invalid text or a missing file is
/// reported once, and the previous kernel stays.
pub(crate) fn watch(arguments: &RunArgs, json: bool) -> Result<(), Failure> {
    if arguments.file.as_os_str() == "-" {
        return Err(Failure::Usage(
            "--watch: expected FILE, found '-': stdin is read only once: write the kernel to a file".to_owned(),
        ));
    }
    let device = run::open(arguments.device.as_deref())?;
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
                // The new file may equal the old one.
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
                say(&format!("{file} is missing; the kernel runs again when it is back"), json);
            }
        }
        sleep(INTERVAL);
    }
}

/// Prints a message that is not an error to stderr: stdout is for reports.
fn say(message: &str, json: bool) {
    if json {
        eprintln!("{}", serde_json::json!({ "watch": message }));
    } else {
        eprintln!("watch: {message}");
    }
}

/// The kernel of the files' current content, if it has changed.
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
