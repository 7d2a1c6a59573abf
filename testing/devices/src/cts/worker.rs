//! The child process: reads one request, runs its traces and reports each outcome.

use std::any::Any;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::case_file::{CaseFile, Shaders};
use super::format::Trace;
use super::outcome::{Message, Outcome, Request};

/// Runs traces on one device.
pub trait Replay {
    /// The description of the device, with which the patterns of known failures are compared.
    fn describe(&self) -> String;

    /// Runs one trace and checks its results; calls `alive` after each step, so that long traces do not time out.
    fn replay(&mut self, trace: &Trace, shaders: &Shaders, alive: &mut dyn FnMut()) -> Outcome;

    /// Whether the device can run no more traces.
    fn is_lost(&self) -> bool;
}

/// Serves the request in `input`.
///
/// # Errors
///
/// The parent has closed the pipe.
pub fn serve<R: Replay>(
    open: impl FnOnce() -> Result<R, String>,
    input: impl BufRead,
    mut output: impl Write,
) -> std::io::Result<()> {
    let mut say = |message: Message| {
        writeln!(output, "{}", message.to_line())?;
        output.flush()
    };
    match prepare(open, input) {
        Ok(mut work) => {
            say(Message::Device(work.replay.describe()))?;
            work.run(say)
        }
        Err(problem) => say(Message::Unable(problem)),
    }
}

struct Work<R> {
    replay: R,
    file: CaseFile,
    shaders: Shaders,
    lines: Vec<usize>,
}

fn prepare<R: Replay>(open: impl FnOnce() -> Result<R, String>, mut input: impl BufRead) -> Result<Work<R>, String> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| format!("no request: {error}"))?;
    let Request { file, lines } = serde_json::from_str(&line).map_err(|error| format!("not a request: {error}"))?;
    let replay = open()?;
    let file = if lines.is_empty() { CaseFile::from_text(String::new()) } else { CaseFile::load(Path::new(&file))? };
    let shaders = file.shaders()?;
    Ok(Work { replay, file, shaders, lines })
}

impl<R: Replay> Work<R> {
    fn run(&mut self, mut say: impl FnMut(Message) -> std::io::Result<()>) -> std::io::Result<()> {
        let Self { replay, file, shaders, lines } = self;
        for (line, trace) in file.parse(lines) {
            // A panic leaves the device in an unknown state, so the worker ends after it.
            let run = || {
                trace.map_or_else(
                    |error| Outcome::failed(&format!("unreadable: {error}")),
                    // An error is ignored: if the parent has closed the pipe, the write of the outcome fails as well.
                    |trace| replay.replay(&trace, shaders, &mut || drop(say(Message::Alive))),
                )
            };
            let (outcome, panicked) = match catch_unwind(AssertUnwindSafe(run)) {
                Ok(outcome) => (outcome, false),
                Err(panic) => (Outcome::failed(&format!("panicked: {}", message_of(&*panic))), true),
            };
            say(Message::Done { line, outcome })?;
            if panicked || replay.is_lost() {
                return say(Message::Renew);
            }
        }
        Ok(())
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("(no message)")
}
