//! Workers that crash, hang or panic.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anywarp_testing_devices::cts::batch::Workers;
use anywarp_testing_devices::cts::case_file::Shaders;
use anywarp_testing_devices::cts::format::Trace;
use anywarp_testing_devices::cts::outcome::{Message, Outcome};
use anywarp_testing_devices::cts::worker::{Replay, serve};

/// A fake device that does what the trace's sub-parameters request.
struct Actor {
    lost: bool,
}

impl Replay for Actor {
    fn describe(&self) -> String {
        "a fake".to_owned()
    }

    fn replay(&mut self, trace: &Trace, shaders: &Shaders, alive: &mut dyn FnMut()) -> Outcome {
        match trace.sub.as_str() {
            "abort" => {
                eprintln!("the driver says goodbye");
                std::process::abort()
            }
            // Longer than the time limit of the test, but with messages.
            "slow" => (0..6).for_each(|_| {
                std::thread::sleep(Duration::from_millis(500));
                alive();
            }),
            "hang" => std::thread::sleep(Duration::from_secs(60)),
            "panic" => panic!("on {}", trace.query),
            "lose" => {
                self.lost = true;
                return Outcome::failed("lost");
            }
            "noise" => print!("no end of line "),
            _ => {}
        }
        assert!(shaders.contains_key("h"));
        Outcome::Passed
    }

    fn is_lost(&self) -> bool {
        self.lost
    }
}

/// The worker of the test below, which runs this program again.
#[test]
#[ignore = "run by outliving::workers_that_end_cost_one_trace"]
fn actor() {
    serve(|| Ok(Actor { lost: false }), std::io::stdin().lock(), std::io::stdout()).unwrap();
}

fn actor_command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["outliving::actor", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command
}

#[test]
fn workers_that_end_cost_one_trace() {
    let subs = ["slow", "abort", "noise", "hang", "", "panic", "lose", "abort", "abort", ""];
    let path = std::env::temp_dir().join(format!("anywarp-cts-{}.jsonl.gz", std::process::id()));
    let mut file = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    writeln!(file, r#"{{"def":"h","wgsl":""}}"#).unwrap();
    let check = r#"{"after":0,"buf":0,"off":0,"kind":"eq","zeros":1}"#;
    for (i, sub) in subs.iter().enumerate() {
        writeln!(file, r#"{{"query":"q{i}","sub":"{sub}","buffers":[],"ops":[],"checks":[{check}]}}"#).unwrap();
    }
    file.finish().unwrap();

    let workers = Workers { command: &actor_command, silence: Duration::from_secs(2) };
    assert_eq!(workers.probe().unwrap(), "a fake");
    let mut outcomes = Vec::new();
    let lines: Vec<usize> = (1..=subs.len()).collect();
    workers.run(&path, &lines, &mut |line, outcome| outcomes.push((line, outcome)));
    std::fs::remove_file(&path).unwrap();

    assert_eq!(outcomes.iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines);
    for (sub, (_, outcome)) in subs.iter().zip(&outcomes) {
        let Outcome::Failed(failure) = outcome else {
            assert!(matches!(*sub, "" | "noise" | "slow"), "{sub}");
            continue;
        };
        let cause = match *sub {
            "abort" => "crashed",
            "hang" => "timed out",
            "panic" => "panicked: on q5",
            "lose" => "lost",
            other => panic!("{other}: {failure:?}"),
        };
        assert!(failure.cause.starts_with(cause), "{sub}: {failure:?}");
        let said = failure.details.iter().any(|line| line.contains("goodbye"));
        assert_eq!(said, *sub == "abort", "{failure:?}");
    }
}

#[test]
fn a_device_that_cannot_be_opened_fails_the_batch_at_once() {
    let mut said = Vec::new();
    let request = &br#"{"file":"","lines":[]}"#[..];
    serve(|| Err::<Actor, _>("no such device".to_owned()), request, &mut said).unwrap();
    let said = String::from_utf8(said).unwrap();
    assert!(matches!(Message::from_line(said.trim()), Some(Message::Unable(why)) if why == "no such device"));

    let nothing = || Command::new("anywarp-there-is-no-such-program");
    let workers = Workers { command: &nothing, silence: Duration::from_secs(2) };
    assert!(workers.probe().is_err());
    let mut failed = 0;
    workers.run(Path::new("none"), &[1, 2, 3], &mut |_, outcome| {
        failed += usize::from(matches!(outcome, Outcome::Failed(_)));
    });
    assert_eq!(failed, 3);
}

#[test]
fn messages_survive_noise() {
    let message = Message::Done { line: 3, outcome: Outcome::failed("a\nb") };
    let line = format!("noise{}", message.to_line());
    assert!(matches!(Message::from_line(&line), Some(Message::Done { line: 3, .. })));
    assert!(Message::from_line("noise").is_none());
}
