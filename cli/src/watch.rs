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

/// Runs the kernel, and again after every change, until somebody ends the process. A text that is wrong
/// is told once, and the kernel before it stays.
pub(crate) fn watch(arguments: &RunArgs, json: bool) -> Result<(), Failure> {
    if arguments.file.as_os_str() == "-" {
        return Err(Failure::Usage("--watch needs a file: stdin is read only once".to_owned()));
    }
    let device = run::open(arguments)?;
    let mut kernel = None;
    let mut told = String::new();
    loop {
        let start = Instant::now();
        match current(&device, &mut kernel, arguments) {
            Ok(changed) => {
                told.clear();
                if let Some(kernel) = changed
                    && let Err(failure) = run::run_kernel(&device, kernel, start.elapsed(), arguments, json)
                {
                    failure.print(json);
                }
            }
            Err(failure) if failure.to_string() == told => {}
            Err(failure) => {
                failure.print(json);
                told = failure.to_string();
            }
        }
        sleep(INTERVAL);
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
