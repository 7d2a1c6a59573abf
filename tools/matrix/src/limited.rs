//! Runs a program with a time limit and keeps its output.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The polling interval for a running program.
const STEP: Duration = Duration::from_millis(50);

/// The end of a program.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The program ended by itself, or by a signal (then without a code).
    Status {
        /// The exit status of the program.
        code: Option<i32>,
        /// The run time of the program in whole seconds.
        seconds: u64,
    },
    /// The program was still running after this time, and was killed with its children.
    Hung(Duration),
    /// The program was not started, for this reason.
    NotStarted(String),
}

/// Runs `command` and writes its output to the file `log`.
///
/// After `limit` its process group is killed by its id: the program and the processes that it started, nothing else.
pub(crate) fn run(command: &mut Command, limit: Duration, log: &Path) -> Ended {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
    let (stdout, stderr) = match output {
        Ok(files) => files,
        Err(error) => return Ended::NotStarted(format!("{} cannot be written: {error}", log.display())),
    };
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).process_group(0);
    let start = Instant::now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted(format!("{program} cannot be started: {error}")),
    };
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ended::Status { code: status.code(), seconds: start.elapsed().as_secs() },
            Ok(None) if start.elapsed() < limit => std::thread::sleep(STEP),
            Ok(None) => {
                kill_group(&mut child);
                return Ended::Hung(limit);
            }
            Err(error) => return Ended::NotStarted(format!("{program} cannot be waited for: {error}")),
        }
    }
}

fn kill_group(child: &mut Child) {
    // The group's id is the child's, which is not reused before the wait below.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration, name: &str) -> (Ended, String) {
        let log = std::env::temp_dir().join(format!("anywarp-matrix-{}-{name}.log", std::process::id()));
        let ended = run(Command::new("sh").args(["-c", script]), limit, &log);
        let text = std::fs::read_to_string(&log).expect("the log");
        std::fs::remove_file(&log).expect("the log");
        (ended, text)
    }

    #[test]
    fn both_outputs_and_the_status_are_kept() {
        let (ended, text) = shell("echo one; echo two >&2; exit 3", Duration::from_secs(60), "kept");
        assert!(matches!(ended, Ended::Status { code: Some(3), .. }), "{ended:?}");
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children_and_its_log_is_kept() {
        let start = Instant::now();
        let limit = Duration::from_millis(500);
        let (ended, text) = shell("sleep 600 & echo $!; wait", limit, "hangs");
        assert!(matches!(ended, Ended::Hung(said) if said == limit), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(60));
        let sleeper = text.trim();
        let alive = || {
            let state = std::fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap_or_default();
            // Its new parent may not have waited for it yet: then it is a zombie.
            !state.is_empty() && !state.contains(") Z ")
        };
        while alive() {
            assert!(start.elapsed() < Duration::from_secs(60), "process {sleeper} is still running");
            std::thread::sleep(STEP);
        }
    }

    #[test]
    fn a_program_that_is_not_there_says_its_name() {
        let log = std::env::temp_dir().join(format!("anywarp-matrix-{}-absent.log", std::process::id()));
        let ended = run(&mut Command::new("no-such-program"), Duration::from_secs(1), &log);
        std::fs::remove_file(&log).expect("the log");
        assert!(matches!(&ended, Ended::NotStarted(why) if why.contains("no-such-program")), "{ended:?}");
    }
}
