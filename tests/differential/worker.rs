//! The child process: runs kernels and says how each ended, one line each.

use std::io::Write;
use std::time::Instant;

use anywarp::Device;
use serde::{Deserialize, Serialize};

use super::ast::Program;
use super::evaluate::evaluate;
use super::generate::generate;
use super::known::{is_unreached_constant, known};
use super::options::Options;
use super::print::{pruned, wgsl};
use super::run::{Failure, compare, run};
use super::shrink::shrink;

/// What a child says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    Starts(u64),
    /// Nothing new, for the sake of long work.
    Alive,
    Passed(u64),
    /// The device lacks something, or the kernel has no defined result: device and reason.
    Skipped(u64, String),
    /// The device, what it did, and the text of a small kernel.
    Failed(u64, String),
    Unable(String),
}

/// Runs the kernels that `options` name.
///
/// # Errors
///
/// Nobody listens any more.
pub(crate) fn serve(options: &Options) -> std::io::Result<()> {
    let mut devices = Vec::new();
    for selector in &options.devices {
        match Device::open(selector) {
            Ok(device) => devices.push((selector.clone(), device)),
            Err(error) => return say(&Message::Unable(error.to_string())),
        }
    }
    for seed in options.seed..options.seed + options.count {
        say(&Message::Starts(seed))?;
        let program = generate(seed, options.size);
        let text = wgsl(&program);
        let expected = match evaluate(&program) {
            Ok(outcome) => outcome.buffers,
            Err(stop) => {
                say(&Message::Failed(
                    seed,
                    format!("the generator made a kernel without a defined result: {}", stop.0),
                ))?;
                continue;
            }
        };
        let mut good = true;
        for (name, device) in &mut devices {
            let hardware = format!("{} {}", device.caps().name, device.caps().driver);
            let known = known(device.caps().backend, &hardware, seed, options.size);
            if let Some(known) = known.filter(|known| known.ends_process) {
                good = false;
                say(&Message::Skipped(seed, format!("{name}: known: {}", known.what)))?;
                continue;
            }
            let outcome = run(device, &program, &text).and_then(|found| compare(&program, &expected, &found));
            let failure = match (outcome, known) {
                (Ok(()), None) => continue,
                (Ok(()), Some(known)) => {
                    good = false;
                    let text = format!("{name}: no longer fails, take it off the list: {}", known.what);
                    say(&Message::Failed(seed, text))?;
                    continue;
                }
                (Err(failure), _) => failure,
            };
            good = false;
            if let Some(known) = known {
                say(&Message::Skipped(seed, format!("{name}: known: {}", known.what)))?;
                *device = match Device::open(name) {
                    Ok(fresh) => fresh,
                    Err(error) => return say(&Message::Unable(error.to_string())),
                };
                continue;
            }
            if is_unreached_constant(&failure) {
                say(&Message::Skipped(seed, format!("{name}: a constant out of range that no run reaches")))?;
                continue;
            }
            if let Some(reason) = lacking(&failure) {
                say(&Message::Skipped(seed, format!("{name}: {reason}")))?;
                continue;
            }
            say(&Message::Failed(seed, describe(options, name, &program, &failure)?))?;
            // A device that failed may be lost.
            match Device::open(name) {
                Ok(fresh) => *device = fresh,
                Err(error) => return say(&Message::Unable(error.to_string())),
            }
        }
        if good {
            say(&Message::Passed(seed))?;
        }
    }
    Ok(())
}

fn say(message: &Message) -> std::io::Result<()> {
    let mut output = std::io::stdout();
    writeln!(output, "{}", serde_json::to_string(message)?)?;
    output.flush()
}

/// The feature that the device says it does not have.
fn lacking(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Error(text) if text.contains("devices that can run it") || text.contains("no other device") => {
            text.lines().next().map(str::to_owned)
        }
        _ => None,
    }
}

fn describe(options: &Options, name: &str, program: &Program, failure: &Failure) -> std::io::Result<String> {
    let small = match Device::open(name) {
        Ok(mut device) => {
            let mut told = Instant::now();
            let mut fails = |candidate: &Program| {
                if told.elapsed().as_secs() > 5 {
                    told = Instant::now();
                    // A parent that listens no more is noticed later.
                    drop(say(&Message::Alive));
                }
                let Ok(outcome) = evaluate(candidate) else { return false };
                let ran = run(&device, candidate, &wgsl(candidate));
                let lost = ran.is_err();
                let found = ran.and_then(|found| compare(candidate, &outcome.buffers, &found));
                if lost && let Ok(fresh) = Device::open(name) {
                    device = fresh;
                }
                found.is_err_and(|found| found.resembles(failure))
            };
            let quiet = std::panic::take_hook();
            std::panic::set_hook(Box::new(|_| {}));
            let small = shrink(program, Instant::now() + options.shrink, &mut fails);
            std::panic::set_hook(quiet);
            small
        }
        Err(_) => program.clone(),
    };
    let last = evaluate(&small).map_err(|stop| Failure::Error(stop.0.to_owned())).and_then(|outcome| {
        let device = Device::open(name).map_err(|error| Failure::Error(error.to_string()))?;
        run(&device, &small, &wgsl(&small)).and_then(|found| compare(&small, &outcome.buffers, &found))
    });
    let last = last.err().map_or_else(String::new, |failure| format!("\nthe small kernel: {failure}"));
    Ok(format!("{name}: {failure}{last}\n{}", pruned(&small)))
}
