//! The child process: runs kernels and writes one line about each outcome.

use anywarp::backend::BackendKind;
use std::io::Write;
use std::time::Instant;

use anywarp::Device;
use serde::{Deserialize, Serialize};

use crate::known::{is_unreached_constant, known};
use crate::options::Options;
use crate::run::{Failure, Mode, compare, run};
use crate::shrink::shrink;
use anywarp_testing::random_kernels::ast::Program;
use anywarp_testing::random_kernels::evaluate::{Outcome, evaluate};
use anywarp_testing::random_kernels::print::{pruned, wgsl};

/// A message of a child process to its parent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    Starts(u64),
    /// The child still works on the same kernel.
    Alive,
    Passed(u64),
    /// The device lacks a feature, or the failure is known: the seed, and a text with the device and the reason.
    Skipped(u64, String),
    /// The result is wrong: the seed, and a text with the device, its failure and a small kernel.
    Failed(u64, String),
    Unable(String),
}

/// A device, and the method that keeps the accesses of its kernels in range.
struct Target {
    selector: String,
    mode: Mode,
    device: Device,
}

impl Target {
    /// The target's name in messages.
    fn name(&self) -> String {
        match self.mode {
            Mode::Proven => self.selector.clone(),
            mode => format!("{} ({})", self.selector, mode.name()),
        }
    }

    /// Opens the device again, since a failed device may be lost.
    fn reopen(&mut self) -> Result<(), Message> {
        self.device = Device::open(&self.selector).map_err(|error| Message::Unable(error.to_string()))?;
        Ok(())
    }
}

/// Runs the kernels of `options`.
///
/// # Errors
///
/// The parent has closed the pipe.
pub(crate) fn serve(options: &Options) -> std::io::Result<()> {
    let mut targets = Vec::new();
    for selector in &options.devices {
        let device = match Device::open(selector) {
            Ok(device) => device,
            Err(error) => return say(&Message::Unable(error.to_string())),
        };
        for mode in options.modes(&device) {
            targets.push(Target { selector: selector.clone(), mode: *mode, device: device.clone() });
        }
    }
    for seed in options.seed..options.seed + options.count() {
        say(&Message::Starts(seed))?;
        let program = options.kernel(seed);
        let outcome = match evaluate(&program) {
            Ok(outcome) => outcome,
            Err(stop) => {
                say(&Message::Failed(seed, format!("the generated kernel has no defined result: {}", stop.0)))?;
                continue;
            }
        };
        let kernel = Tried { seed, text: wgsl(&program), program, outcome };
        let mut good = true;
        for target in &mut targets {
            match attempt(options, target, &kernel) {
                Ok(true) => {}
                Ok(false) => good = false,
                Err(Message::Unable(problem)) => return say(&Message::Unable(problem)),
                Err(message) => {
                    good = false;
                    say(&message)?;
                }
            }
        }
        if good {
            say(&Message::Passed(seed))?;
        }
    }
    Ok(())
}

/// A kernel and its expected result.
struct Tried {
    seed: u64,
    program: Program,
    text: String,
    outcome: Outcome,
}

/// Returns whether the kernel's result is right, or a message about a failure.
fn attempt(options: &Options, target: &mut Target, kernel: &Tried) -> Result<bool, Message> {
    let Tried { seed, program, text, outcome } = kernel;
    // The result of an access out of range depends on the driver.
    if target.mode == Mode::Driver && target.device.caps().backend != BackendKind::Cpu && outcome.outside > 0 {
        return Ok(true);
    }
    let name = target.name();
    let hardware = format!("{} {}", target.device.caps().name, target.device.caps().driver);
    let known = known(target.device.caps().backend.name(), &hardware, &options.label(*seed));
    if let Some(known) = known.filter(|known| known.ends_process) {
        return Err(Message::Skipped(*seed, format!("{name}: known: {}", known.what)));
    }
    let ran = run(&target.device, target.mode, program, text);
    let failure = match (ran.and_then(|found| compare(program, &outcome.buffers, &found)), known) {
        // The middle end may have removed the code that the driver compiles wrongly. Another test checks that the
        // driver still has the bug.
        (Ok(()), _) => return Ok(true),
        (Err(failure), _) => failure,
    };
    if let Some(known) = known {
        target.reopen()?;
        return Err(Message::Skipped(*seed, format!("{name}: known: {}", known.what)));
    }
    if is_unreached_constant(&failure) {
        return Err(Message::Skipped(*seed, format!("{name}: a constant out of range that no run reaches")));
    }
    if let Some(reason) = lacking(&failure) {
        return Err(Message::Skipped(*seed, format!("{name}: {reason}")));
    }
    let reported = describe(options, target, program, &failure);
    target.reopen()?;
    Err(Message::Failed(*seed, reported))
}

fn say(message: &Message) -> std::io::Result<()> {
    let mut output = std::io::stdout();
    writeln!(output, "{}", serde_json::to_string(message)?)?;
    output.flush()
}

/// The feature that the device reports as missing.
fn lacking(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Error(text)
            if text.contains("devices that can run the kernel") || text.contains("no other device") =>
        {
            text.lines().next().map(str::to_owned)
        }
        _ => None,
    }
}

fn describe(options: &Options, target: &Target, program: &Program, failure: &Failure) -> String {
    let (selector, mode) = (&target.selector, target.mode);
    let small = match Device::open(selector) {
        Ok(mut device) => {
            let mut reported = Instant::now();
            let mut fails = |candidate: &Program| {
                if reported.elapsed().as_secs() > 5 {
                    reported = Instant::now();
                    // An error is ignored, because the next write fails as well if the parent has closed the pipe.
                    drop(say(&Message::Alive));
                }
                let Ok(outcome) = evaluate(candidate) else { return false };
                let ran = run(&device, mode, candidate, &wgsl(candidate));
                let lost = ran.is_err();
                let found = ran.and_then(|found| compare(candidate, &outcome.buffers, &found));
                if lost && let Ok(fresh) = Device::open(selector) {
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
        let device = Device::open(selector).map_err(|error| Failure::Error(error.to_string()))?;
        run(&device, mode, &small, &wgsl(&small)).and_then(|found| compare(&small, &outcome.buffers, &found))
    });
    let last = last.err().map_or_else(String::new, |failure| format!("\nthe small kernel: {failure}"));
    format!("{}: {failure}{last}\n{}", target.name(), pruned(&small))
}
