//! Runs random kernels on several devices and on a reference in plain Rust, and compares what they compute.
//!
//! ```text
//! cargo test --release --test differential -- [OPTION..]
//!
//! --count N           how many kernels (300 where absent, or as many as 45 seconds allow)
//! --seed S            the first kernel's seed (1 where absent)
//! --size N            about how many statements `main` has (4 where absent: what drivers get wrong is listed for it)
//! --bias checks       kernels out of range wherever they can be, whose loops count in every way
//! --devices A,B       the devices, as ANYWARP_DEVICE names them (cpu,vulkan where absent)
//! --jobs N            child processes at a time; as many as there are cores where absent
//! --shrink SECONDS    how long to look for a smaller kernel that fails (30 where absent)
//! --timeout SECONDS   how long a child may say nothing (60 where absent)
//! --print S           only print the kernel of seed S
//! --statistics        only tell what the kernels are like, without a device
//! ```
//!
//! Kernels are free of races, end, and compute with floats only what is exact, so that every device must give the same
//! words. With `--bias checks` an index out of range has a meaning, on `cpu` and wherever kernels are `Checks::Proven`:
//! a read gives the last element, a store and an atomic do nothing. Such kernels run `Proven` and `Driver`, the latter
//! on other devices than `cpu` only where nothing is out of range; on `cpu:checked`, as the middle end makes them, and
//! then nothing may be. The devices are `cpu` and `cpu:checked` where none is named. Before them come loops that never
//! end, which `cpu` has to stop.
//!
//! They run in child processes: one that crashes the driver fails alone. A device that is not there is left
//! out, unless `ANYWARP_REQUIRE` names it. The last line is `N passed, M failed, K skipped`; the exit code is 1 where
//! M is not 0.

#[path = "differential/mod.rs"]
mod differential;

use std::process::ExitCode;

use anywarp::Device;
use differential::options::{Bias, Options};
use differential::{batch, endless, print, statistics, worker};

fn main() -> ExitCode {
    let mut options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(problem) => return refuse(&problem),
    };
    if let Some(seed) = options.print {
        print!("{}", print::wgsl(&options.kernel(seed)));
        return ExitCode::SUCCESS;
    }
    if options.statistics {
        return if statistics::print(&options) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if options.worker {
        return match worker::serve(&options) {
            Ok(()) => ExitCode::SUCCESS,
            // The parent is gone, and nobody reads the exit code either.
            Err(_) => ExitCode::FAILURE,
        };
    }
    if let Some(number) = options.endless {
        return endless::run(number, &options.devices[0]);
    }
    match present(&mut options) {
        Ok(true) => conclude(&options),
        Ok(false) => ExitCode::SUCCESS,
        Err(problem) => refuse(&problem),
    }
}

/// Leaves out the devices that are not there, and tells whether any is left.
fn present(options: &mut Options) -> Result<bool, String> {
    let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default().to_lowercase();
    let required: Vec<&str> = required.split(',').map(str::trim).collect();
    let mut there = Vec::new();
    for selector in &options.devices {
        match Device::open(selector) {
            Ok(_) => there.push(selector.clone()),
            Err(error) if required.contains(&selector.split(':').next().unwrap_or_default()) => {
                return Err(format!("ANYWARP_REQUIRE demands {selector}: {error}"));
            }
            Err(_) => println!("{selector} is left out: there is no such device"),
        }
    }
    if there.is_empty() {
        println!("skipped: none of the devices is there");
    }
    options.devices = there;
    Ok(!options.devices.is_empty())
}

fn conclude(options: &Options) -> ExitCode {
    let stopped = match options.bias {
        Bias::None => Ok(true),
        Bias::Checks => endless::all_stop(&options.devices),
    };
    match stopped.and_then(|stopped| Ok((stopped, batch::run(options)?))) {
        Ok((stopped, tally)) => {
            if tally.out_of_time {
                println!("the time is up; --count N runs all N kernels");
            }
            println!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
            if tally.failed == 0 && stopped { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => refuse(&problem),
    }
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("differential: {problem}");
    ExitCode::from(2)
}
