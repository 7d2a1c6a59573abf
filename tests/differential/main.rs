//! Runs random kernels on several devices and on a reference in plain Rust, and compares the results.
//!
//! `cargo test --test differential -- [OPTION..]`; `--help` lists the options.
//!
//! Kernels have no races, always end, and use only exact float arithmetic, so every device must produce the same words.
//! With `--bias checks` an index out of range is defined, on `cpu` and wherever kernels are `Checks::Proven`: a read
//! returns the last element, and a store or an atomic has no effect. Such kernels run with `Proven` and with `Driver`,
//! the latter on devices other than `cpu` only if all indices are in range. The kernels also run on `cpu:checked` with
//! the checks that the middle end adds; then all indices must be in range. The default devices are `cpu` and `vulkan`;
//! with `--bias checks`, `cpu` and `cpu:checked`. The first tests are endless loops, which `cpu` has to stop.
//!
//! The kernels run in child processes, so that a kernel that crashes the driver fails alone. A missing device is
//! skipped, unless `ANYWARP_REQUIRE` names it. The last line is `N passed, M failed, K skipped`; the exit code is 1 if
//! M is not 0.

mod batch;
mod endless;
mod explicit;
mod known;
mod options;
mod run;
mod shrink;
mod statistics;
mod worker;

use std::process::ExitCode;

use anywarp::Device;
use anywarp_testing::random_kernels::print;
use options::{Bias, Options};

fn main() -> ExitCode {
    let mut options = Options::read();
    if !options.other_tests.is_empty() {
        return ExitCode::SUCCESS;
    }
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
            // The parent has closed the pipe, and nothing reads the exit code.
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

/// Removes missing devices from the options; returns whether any device remains.
fn present(options: &mut Options) -> Result<bool, String> {
    let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default().to_lowercase();
    let required: Vec<&str> = required.split(',').map(str::trim).collect();
    let mut there = Vec::new();
    for selector in &options.devices {
        match Device::open(selector) {
            Ok(_) => there.push(selector.clone()),
            Err(error) if required.contains(&selector.split(':').next().unwrap_or_default()) => {
                return Err(format!("ANYWARP_REQUIRE names {selector}: {error}"));
            }
            Err(_) => println!("{selector} is skipped: no such device"),
        }
    }
    if there.is_empty() {
        println!("skipped: none of the devices is available");
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
                println!("the time limit is reached; use --count N to run all N kernels");
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
