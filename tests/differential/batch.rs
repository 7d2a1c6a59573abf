//! Runs kernels in child processes, so that a kernel that crashes the driver or never ends fails alone.

use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use crate::options::Options;
use crate::worker::Message;
use anywarp_testing::process::{Event, Worker};
use anywarp_testing::random_kernels::print::wgsl;

/// The number of kernels by outcome.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    pub(crate) out_of_time: bool,
}

/// Runs all kernels and prints the failing ones.
///
/// # Errors
///
/// No child process starts, or a child cannot open its devices.
pub(crate) fn run(options: &Options) -> Result<Tally, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of this test program: {error}"))?;
    let started = Instant::now();
    let next = Mutex::new(options.seed);
    let tally = Mutex::new(Tally::default());
    let end = options.seed + options.count();
    let work = || -> Result<(), String> {
        loop {
            let first = {
                let mut next = lock(&next);
                let first = *next;
                *next = (first + options.batch()).min(end);
                first
            };
            let last = (first + options.batch()).min(end);
            let mut seed = first;
            while seed < last {
                if options.limit().is_some_and(|limit| started.elapsed() > limit) {
                    lock(&tally).out_of_time = true;
                    return Ok(());
                }
                let mut command = Command::new(&program);
                command.args(options.for_worker(seed, last - seed));
                seed = run_child(options, &mut command, seed, started, &tally)?;
            }
            if last == end {
                return Ok(());
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })?;
    tally.into_inner().map_err(|_| "a thread panicked".to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Runs one child and returns the first seed that it did not finish.
fn run_child(
    options: &Options,
    command: &mut Command,
    first: u64,
    started: Instant,
    tally: &Mutex<Tally>,
) -> Result<u64, String> {
    let mut child = Worker::start(command, "", |line| serde_json::from_str::<Message>(line).ok())?;
    let (mut running, mut next) = (None, first);
    let verdict = loop {
        if options.limit().is_some_and(|limit| started.elapsed() > limit) && running.is_none() {
            lock(tally).out_of_time = true;
            break None;
        }
        match child.next(options.timeout) {
            Event::Message(Message::Starts(seed)) => (running, next) = (Some(seed), seed + 1),
            Event::Message(Message::Alive) => {}
            Event::Message(Message::Passed(_)) => {
                running = None;
                lock(tally).passed += 1;
            }
            Event::Message(Message::Skipped(seed, reason)) => {
                running = None;
                println!("seed {seed} skipped: {reason}");
                lock(tally).skipped += 1;
            }
            Event::Message(Message::Failed(seed, text)) => {
                running = None;
                println!("seed {seed} ({}) FAILED\n{text}", options.kernel_arguments());
                lock(tally).failed += 1;
            }
            Event::Message(Message::Unable(problem)) => {
                return Err(problem);
            }
            Event::Silence => break running.map(|seed| (seed, "does not respond".to_owned())),
            Event::Ended => {
                let status = child.status();
                break running.map(|seed| (seed, format!("ended its process: {status}")));
            }
        }
    };
    child.end();
    let last_words = child.last_errors().join("\n");
    if let Some((seed, what)) = verdict {
        let text = wgsl(&options.kernel(seed));
        println!("seed {seed} ({}) FAILED: it {what}\n{last_words}\n{text}", options.kernel_arguments());
        lock(tally).failed += 1;
    } else if next == first && !lock(tally).out_of_time {
        return Err(format!("a child process ended before its first kernel\n{last_words}"));
    }
    Ok(next)
}
