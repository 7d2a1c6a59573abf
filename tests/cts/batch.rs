//! Runs traces in child processes, so that a shader which crashes the driver or never ends costs one trace only.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::outcome::{Message, Outcome, Request};

/// The number of traces per worker: enough to make up for opening the device, few enough that leaks of a driver do not
/// matter.
pub(crate) const BATCH: usize = 64;

/// The number of lines kept from a worker's error output.
const KEPT_LINES: usize = 12;

/// Starts workers.
pub(crate) struct Workers<'a> {
    /// The command of a worker, which reads a request from its standard input.
    pub(crate) command: &'a (dyn Fn() -> Command + Sync),
    /// A worker without a message for this long is treated as stuck.
    pub(crate) silence: Duration,
}

impl Workers<'_> {
    /// Opens the device in a worker and returns its description.
    ///
    /// # Errors
    ///
    /// The reason why the device cannot be opened.
    pub(crate) fn probe(&self) -> Result<String, String> {
        let mut worker = Worker::start(&mut (self.command)(), &Request { file: String::new(), lines: Vec::new() })?;
        match worker.next(self.silence) {
            Next::Message(Message::Device(device)) => {
                worker.finish(self.silence);
                Ok(device)
            }
            Next::Message(Message::Unable(problem)) => Err(problem),
            Next::Message(other) => Err(format!("expected the message `Device` from the worker, got {other:?}")),
            Next::Ended => Err(format!("opening the device {}", worker.exit_report())),
            Next::Silence => {
                worker.end();
                Err(format!("opening the device took more than {} s", self.silence.as_secs()))
            }
        }
    }

    /// Runs the traces at `lines` of `file` in as many workers as necessary, and passes each outcome to `done` at once.
    pub(crate) fn run(&self, file: &Path, lines: &[usize], done: &mut dyn FnMut(usize, Outcome)) {
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

    /// Removes from `rest` the traces that one worker runs. An error applies to all remaining traces.
    fn run_one_worker(
        &self,
        file: &Path,
        rest: &mut VecDeque<usize>,
        done: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), String> {
        let request = Request { file: file.display().to_string(), lines: rest.iter().copied().collect() };
        let mut worker = Worker::start(&mut (self.command)(), &request)?;
        let mut opened = false;
        while let Some(&current) = rest.front() {
            match worker.next(self.silence) {
                Next::Message(Message::Device(_)) => opened = true,
                Next::Message(Message::Alive) => {}
                Next::Message(Message::Done { line, outcome }) if line == current => {
                    rest.pop_front();
                    done(line, outcome);
                }
                Next::Message(Message::Done { line, .. }) => {
                    worker.end();
                    return Err(format!("the worker ran line {line} instead of line {current}"));
                }
                Next::Message(Message::Unable(problem)) => return Err(problem),
                Next::Message(Message::Renew) => break,
                Next::Ended if !opened => return Err(format!("opening the device {}", worker.exit_report())),
                Next::Ended => {
                    rest.pop_front();
                    done(current, Outcome::failed(&worker.exit_report()));
                    break;
                }
                Next::Silence => {
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

/// The next event of a worker.
enum Next {
    Message(Message),
    Ended,
    Silence,
}

/// A child process, which is killed when dropped.
struct Worker {
    child: Child,
    messages: Receiver<Message>,
    errors: Option<JoinHandle<Vec<String>>>,
}

impl Worker {
    fn start(command: &mut Command, request: &Request) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("a worker could not be started: {error}"))?;
        let stdin = child.stdin.take();
        let messages = messages_of(child.stdout.take());
        let errors = child.stderr.take().map(|stderr| std::thread::spawn(move || last_lines(stderr)));
        let worker = Self { child, messages, errors };
        let request = serde_json::to_string(request).expect("a request has only string keys");
        // If the worker ended before it read the request, the wait for its first message fails.
        let _ = stdin.map(|mut stdin| writeln!(stdin, "{request}"));
        Ok(worker)
    }

    fn next(&mut self, silence: Duration) -> Next {
        match self.messages.recv_timeout(silence) {
            Ok(message) => Next::Message(message),
            Err(RecvTimeoutError::Disconnected) => Next::Ended,
            Err(RecvTimeoutError::Timeout) => Next::Silence,
        }
    }

    /// Waits for the end of a worker that has sent everything, and kills it if it does not end.
    fn finish(&mut self, silence: Duration) {
        while let Next::Message(_) = self.next(silence) {}
        self.end();
    }

    fn end(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit status of a process that has closed its output, with its last lines of error output.
    fn exit_report(&mut self) -> String {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        std::iter::once(format!("crashed: {status}")).chain(errors).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

fn messages_of(output: Option<impl Read + Send + 'static>) -> Receiver<Message> {
    let (sender, receiver) = channel();
    if let Some(output) = output {
        std::thread::spawn(move || {
            for line in lines_of(output) {
                if Message::from_line(&line).is_some_and(|message| sender.send(message).is_err()) {
                    break;
                }
            }
        });
    }
    receiver
}

fn last_lines(output: impl Read) -> Vec<String> {
    let mut kept = VecDeque::with_capacity(KEPT_LINES + 1);
    for line in lines_of(output) {
        kept.push_back(line);
        if kept.len() > KEPT_LINES {
            kept.pop_front();
        }
    }
    kept.into()
}

/// Lines of any encoding: the output of drivers need not be UTF-8.
fn lines_of(output: impl Read) -> impl Iterator<Item = String> {
    BufReader::new(output).split(b'\n').map_while(Result::ok).map(|line| String::from_utf8_lossy(&line).into_owned())
}
