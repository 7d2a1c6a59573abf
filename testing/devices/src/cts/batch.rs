//! Runs traces in child processes, so that a shader which crashes the driver or never ends costs one trace only.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anywarp_testing::process::{Event, Worker};

use super::outcome::{Message, Outcome, Request};

/// The number of traces per worker: enough to make up for opening the device, few enough that leaks of a driver do not
/// matter.
pub const BATCH: usize = 64;

/// Starts worker processes, which run traces.
pub struct Workers<'a> {
    /// Returns the command that starts a worker, which reads a request from its standard input.
    pub command: &'a (dyn Fn() -> Command + Sync),
    /// The time without a message after which a worker counts as stuck.
    pub silence: Duration,
}

impl Workers<'_> {
    /// Opens the device in a worker and returns its description.
    ///
    /// # Errors
    ///
    /// The reason why the device cannot be opened.
    pub fn probe(&self) -> Result<String, String> {
        let mut worker = start(&mut (self.command)(), &Request { file: String::new(), lines: Vec::new() })?;
        match worker.next(self.silence) {
            Event::Message(Message::Device(device)) => {
                worker.finish(self.silence);
                Ok(device)
            }
            Event::Message(Message::Unable(problem)) => Err(problem),
            Event::Message(other) => Err(format!("expected the message `Device` from the worker, got {other:?}")),
            Event::Ended => Err(format!("opening the device {}", exit_report(&mut worker))),
            Event::Silence => {
                worker.end();
                Err(format!("opening the device took more than {} s", self.silence.as_secs()))
            }
        }
    }

    /// Runs the traces at `lines` of `file` in a worker process, in a new one after each worker that ended early, and
    /// passes each outcome to `done` as soon as it is known.
    pub fn run(&self, file: &Path, lines: &[usize], done: &mut dyn FnMut(usize, Outcome)) {
        let mut rest: VecDeque<usize> = lines.iter().copied().collect();
        while let Some(&first) = rest.front() {
            let before = rest.len();
            if let Err(problem) = self.run_one_worker(file, &mut rest, done) {
                rest.drain(..).for_each(|line| done(line, Outcome::failed(&problem)));
            } else if rest.len() == before {
                rest.pop_front();
                done(first, Outcome::failed("the worker ended before it ran the trace"));
            }
        }
    }

    /// Starts one worker and removes from `rest` the traces that it has run. An error applies to all traces that remain
    /// in `rest`.
    fn run_one_worker(
        &self,
        file: &Path,
        rest: &mut VecDeque<usize>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), String> {
        let request = Request { file: file.display().to_string(), lines: rest.iter().copied().collect() };
        let mut worker = start(&mut (self.command)(), &request)?;
        let mut opened = false;
        while let Some(&current) = rest.front() {
            match worker.next(self.silence) {
                Event::Message(Message::Device(_)) => opened = true,
                Event::Message(Message::Alive) => {}
                Event::Message(Message::Done { line, outcome }) if line == current => {
                    rest.pop_front();
                    done(line, outcome);
                }
                Event::Message(Message::Done { line, .. }) => {
                    worker.end();
                    return Err(format!("the worker ran line {line} instead of line {current}"));
                }
                Event::Message(Message::Unable(problem)) => return Err(problem),
                Event::Message(Message::Renew) => break,
                Event::Ended if !opened => return Err(format!("opening the device {}", exit_report(&mut worker))),
                Event::Ended => {
                    rest.pop_front();
                    done(current, Outcome::failed(&exit_report(&mut worker)));
                    break;
                }
                Event::Silence => {
                    worker.end();
                    rest.pop_front();
                    done(current, Outcome::failed(&format!("timed out: silent for {} s", self.silence.as_secs())));
                    break;
                }
            }
        }
        worker.finish(self.silence);
        Ok(())
    }
}

fn start(command: &mut Command, request: &Request) -> Result<Worker<Message>, String> {
    let request = serde_json::to_string(request).expect("a request has only string keys");
    Worker::start(command, &format!("{request}\n"), Message::from_line)
}

/// The exit status of a process that has closed its output, with its last lines of error output.
fn exit_report(worker: &mut Worker<Message>) -> String {
    let status = format!("crashed: {}", worker.status());
    std::iter::once(status).chain(worker.last_errors()).collect::<Vec<_>>().join("\n")
}
