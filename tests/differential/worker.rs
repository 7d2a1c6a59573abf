//! The child process: runs kernels and says how each ended, one line each.

use anywarp::backend::BackendKind;
use std::io::Write;
use std::time::Instant;

use anywarp::Device;
use serde::{Deserialize, Serialize};

use super::ast::Program;
use super::evaluate::{Outcome, evaluate};
use super::known::{is_unreached_constant, known};
use super::options::Options;
use super::print::{pruned, wgsl};
use super::run::{Failure, Mode, compare, run};
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

/// A device, and how it is to keep kernels in range.
struct Place {
    selector: String,
    mode: Mode,
    device: Device,
}

impl Place {
    /// How messages call it.
    fn name(&self) -> String {
        match self.mode {
            Mode::Proven => self.selector.clone(),
            mode => format!("{} ({})", self.selector, mode.name()),
        }
    }

    /// A device that failed may be lost.
    fn reopen(&mut self) -> Result<(), Message> {
        self.device = Device::open(&self.selector).map_err(|error| Message::Unable(error.to_string()))?;
        Ok(())
    }
}

/// Runs the kernels that `options` name.
///
/// # Errors
///
/// Nobody listens any more.
pub(crate) fn serve(options: &Options) -> std::io::Result<()> {
    let mut places = Vec::new();
    for selector in &options.devices {
        let device = match Device::open(selector) {
            Ok(device) => device,
            Err(error) => return say(&Message::Unable(error.to_string())),
        };
        for mode in options.modes(&device) {
            places.push(Place { selector: selector.clone(), mode: *mode, device: device.clone() });
        }
    }
    for seed in options.seed..options.seed + options.count {
        say(&Message::Starts(seed))?;
        let program = options.kernel(seed);
        let outcome = match evaluate(&program) {
            Ok(outcome) => outcome,
            Err(stop) => {
                say(&Message::Failed(
                    seed,
                    format!("the generator made a kernel without a defined result: {}", stop.0),
                ))?;
                continue;
            }
        };
        let kernel = Tried { seed, text: wgsl(&program), program, outcome };
        let mut good = true;
        for place in &mut places {
            match attempt(options, place, &kernel) {
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

/// A kernel, and what it leaves behind.
struct Tried {
    seed: u64,
    program: Program,
    text: String,
    outcome: Outcome,
}

/// Whether a kernel runs as it should; where it does not, what is to be said.
fn attempt(options: &Options, place: &mut Place, kernel: &Tried) -> Result<bool, Message> {
    let Tried { seed, program, text, outcome } = kernel;
    // What a driver does about accesses out of range is its own.
    if place.mode == Mode::Driver && place.device.caps().backend != BackendKind::Cpu && outcome.outside > 0 {
        return Ok(true);
    }
    let name = place.name();
    let hardware = format!("{} {}", place.device.caps().name, place.device.caps().driver);
    let known = known(place.device.caps().backend.name(), &hardware, &options.label(*seed));
    if let Some(known) = known.filter(|known| known.ends_process) {
        return Err(Message::Skipped(*seed, format!("{name}: known: {}", known.what)));
    }
    let ran = run(&place.device, place.mode, program, text);
    let failure = match (ran.and_then(|found| compare(program, &outcome.buffers, &found)), known) {
        // The middle end may have kept the kernel from what the driver gets wrong: that this still fails is tested
        // by itself.
        (Ok(()), _) => return Ok(true),
        (Err(failure), _) => failure,
    };
    if let Some(known) = known {
        place.reopen()?;
        return Err(Message::Skipped(*seed, format!("{name}: known: {}", known.what)));
    }
    if is_unreached_constant(&failure) {
        return Err(Message::Skipped(*seed, format!("{name}: a constant out of range that no run reaches")));
    }
    if let Some(reason) = lacking(&failure) {
        return Err(Message::Skipped(*seed, format!("{name}: {reason}")));
    }
    let told = describe(options, place, program, &failure);
    place.reopen()?;
    Err(Message::Failed(*seed, told))
}

fn say(message: &Message) -> std::io::Result<()> {
    let mut output = std::io::stdout();
    writeln!(output, "{}", serde_json::to_string(message)?)?;
    output.flush()
}

/// The feature that the device says it does not have.
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

fn describe(options: &Options, place: &Place, program: &Program, failure: &Failure) -> String {
    let (selector, mode) = (&place.selector, place.mode);
    let small = match Device::open(selector) {
        Ok(mut device) => {
            let mut told = Instant::now();
            let mut fails = |candidate: &Program| {
                if told.elapsed().as_secs() > 5 {
                    told = Instant::now();
                    // A parent that listens no more is noticed later.
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
    format!("{}: {failure}{last}\n{}", place.name(), pruned(&small))
}
