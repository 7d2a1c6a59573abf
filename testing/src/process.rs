//! Child processes: a worker that writes messages, and a test in its own process.

use std::any::type_name;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The number of lines kept from a worker's error output.
const KEPT_LINES: usize = 12;

/// The environment variable by which [`in_own_process`] passes the test's name to the process that it starts.
const ALONE: &str = "ANYWARP_TEST_ALONE";

/// Runs `test` in a process where no other test runs, for tests of values that a process has once: its threads, its
/// memory, its log. `test` is a closure in the body of the test, whose path names it.
///
/// # Panics
///
/// `test` panics.
pub fn in_own_process<F: FnOnce()>(test: F) {
    // The type name has the form `binary::module::function::{{closure}}`.
    let path = type_name::<F>().trim_end_matches("::{{closure}}");
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    if std::env::var_os(ALONE).is_some_and(|alone| alone == name) {
        return test();
    }
    let program = std::env::current_exe().expect("the path of this test program");
    let arguments = [name, "--exact", "--nocapture", "--test-threads=1"];
    let output = Command::new(program).args(arguments).env(ALONE, name).output().expect("a child process");
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    print!("{printed}");
    assert!(output.status.success(), "in a process of its own: {}\n{errors}", output.status);
    assert!(printed.contains("1 passed"), "no test is named {name}:\n{printed}");
}

/// The event for which a wait for a worker's next message ends.
#[derive(Debug)]
pub enum Event<M> {
    Message(M),
    /// The process has closed its output.
    Ended,
    /// The worker has sent no message within the time limit.
    Silence,
}

/// A child process that writes one message per line; it is killed when dropped.
pub struct Worker<M> {
    child: Child,
    messages: Receiver<M>,
    errors: Option<JoinHandle<Vec<String>>>,
}

impl<M: Send + 'static> Worker<M> {
    /// Starts a worker with this text as its input. Lines that `parse` refuses are output of drivers, and ignored.
    ///
    /// # Errors
    ///
    /// The reason why the process cannot be started.
    pub fn start(command: &mut Command, input: &str, parse: fn(&str) -> Option<M>) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("a worker could not be started: {error}"))?;
        let stdin = child.stdin.take();
        let messages = messages_of(child.stdout.take(), parse);
        let errors = child.stderr.take().map(|stderr| std::thread::spawn(move || last_lines(stderr)));
        let worker = Self { child, messages, errors };
        // If the worker ended before it read its input, the wait for its first message fails.
        let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        Ok(worker)
    }

    /// Waits for the next message.
    pub fn next(&mut self, silence: Duration) -> Event<M> {
        match self.messages.recv_timeout(silence) {
            Ok(message) => Event::Message(message),
            Err(RecvTimeoutError::Disconnected) => Event::Ended,
            Err(RecvTimeoutError::Timeout) => Event::Silence,
        }
    }

    /// Waits for the end of a worker that has sent all its messages, and kills the worker if it neither ends nor sends
    /// a message within `silence`.
    pub fn finish(&mut self, silence: Duration) {
        while let Event::Message(_) = self.next(silence) {}
        self.end();
    }

    /// Kills the process.
    pub fn end(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit status of a process that has closed its output.
    pub fn status(&mut self) -> String {
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// The last lines of the process's error output. Waits until the process closes that output.
    pub fn last_errors(&mut self) -> Vec<String> {
        self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default()
    }
}

impl<M> Drop for Worker<M> {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn messages_of<M: Send + 'static>(
    output: Option<impl Read + Send + 'static>,
    parse: fn(&str) -> Option<M>,
) -> Receiver<M> {
    let (sender, receiver) = channel();
    if let Some(output) = output {
        std::thread::spawn(move || {
            for line in lines_of(output) {
                if parse(&line).is_some_and(|message| sender.send(message).is_err()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_runs_in_its_own_process() {
        in_own_process(|| {
            assert_eq!(std::env::var(ALONE).as_deref(), Ok("process::tests::a_test_runs_in_its_own_process"));
        });
    }

    #[test]
    fn a_failure_in_its_own_process_is_a_failure() {
        let run = || in_own_process(|| panic!("wrong on purpose"));
        if std::env::var_os(ALONE).is_some() {
            return run();
        }
        assert!(message_of(run).contains("wrong on purpose"));
    }

    #[test]
    fn what_is_no_test_does_not_pass() {
        assert!(message_of(|| in_own_process(no_test)).contains("no test is named process::tests::no_test"));
    }

    fn no_test() {}

    fn message_of(failing: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let failure = std::panic::catch_unwind(failing).expect_err("it fails");
        failure.downcast_ref::<String>().expect("a text").clone()
    }

    #[cfg(unix)]
    #[test]
    fn a_worker_sends_messages_until_it_ends() {
        let parse = |line: &str| line.parse::<u32>().ok();
        let mut command = Command::new("sh");
        command.args(["-c", "read text; echo noise; echo $text; echo 2; echo last words >&2; exit 3"]);
        let mut worker = Worker::start(&mut command, "1\n", parse).expect("a shell");
        let patience = Duration::from_secs(20);
        assert!(matches!(worker.next(patience), Event::Message(1)));
        assert!(matches!(worker.next(patience), Event::Message(2)));
        assert!(matches!(worker.next(patience), Event::Ended));
        assert!(worker.status().contains('3'));
        assert_eq!(worker.last_errors(), ["last words"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_silent_worker_is_killed() {
        let mut command = Command::new("sleep");
        let mut worker = Worker::start(command.arg("60"), "", |line| line.parse::<u32>().ok()).expect("a process");
        assert!(matches!(worker.next(Duration::from_millis(50)), Event::Silence));
        worker.end();
        assert!(matches!(worker.next(Duration::from_secs(20)), Event::Ended));
    }
}
