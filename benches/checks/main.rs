//! Compares kernels with unproven checks only, with the driver's checks, and without checks, in turns.
//!
//! `cargo bench --bench checks -- [--device SELECTOR].. [--kernel NAME] [--quick] [--json FILE] [--csv FILE]`
//! `cargo bench --bench checks -- --middle`: measures the middle end
//!
//! All launches of a benchmark are alike, so that `Checks::Proven` runs a variant that is specialised for their sizes:
//! that is the lane `Proven`. `General` is the kernel for launches that differ.
//!
//! NAME is a part of kernels' names; `--device` may be repeated, and defaults to `cpu` and `vulkan`. The baseline is
//! `Checks::Off`, the lower bound of a kernel's time. Every result is compared with plain Rust before it is timed.
//! Sizes depend on the kind of device. Times are the device's own where it has a clock. The process fails if a result
//! is wrong, but not if a goal is missed.

mod case;
mod cases;
mod lanes;
mod middle;
mod report;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "benches with another baseline use the rest")]
mod shared;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anywarp::Variants;
use anywarp_testing_devices::libtest::BenchOptions;
use case::{Case, Scale};
use clap::Parser;
use lanes::{Devices, Lanes, Samples};
use report::{Report, Row};
use shared::{Outcome, ended};

/// The arguments after `--`.
#[derive(Parser)]
struct Arguments {
    /// A device, in the form of `ANYWARP_DEVICE`; may be repeated. By default `cpu` and `vulkan`.
    #[arg(long = "device", value_name = "SELECTOR")]
    devices: Vec<String>,
    /// Only kernels whose name contains this text.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Fewer repetitions, smaller sizes.
    #[arg(long)]
    quick: bool,
    /// The file for the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The file for the results as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Measure the middle end instead.
    #[arg(long)]
    middle: bool,
    #[command(flatten)]
    _bench: BenchOptions,
}

impl Arguments {
    /// Reads the command line, and exits where it is wrong.
    ///
    /// # Errors
    ///
    /// The text lists the names that can be chosen.
    fn read() -> Outcome<Self> {
        let parsed = Self::parse();
        if !cases::ALL.iter().any(|(name, _)| parsed.wants(name)) {
            return Err(format!("--kernel matches none of {}", cases::ALL.map(|(name, _)| name).join(", ")).into());
        }
        Ok(parsed)
    }

    fn wants(&self, name: &str) -> bool {
        self.kernel.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }

    /// The requested devices, or the available ones of the default.
    fn open(&self) -> Outcome<Vec<Devices>> {
        if !self.devices.is_empty() {
            return Ok(self
                .devices
                .iter()
                .map(|selector| Devices::open_with(selector, Variants::AtOnce))
                .collect::<Result<_, _>>()?);
        }
        let found = |selector: &&str| {
            let opened = Devices::open_with(selector, Variants::AtOnce);
            opened.inspect_err(|error| println!("{selector} is skipped: {error}")).ok()
        };
        Ok(["cpu", "vulkan"].iter().filter_map(found).collect())
    }
}

/// Checks a case, then measures it.
fn run_case(devices: &Devices, case: &Case, budget: Duration) -> Outcome<Samples> {
    let mut lanes = Lanes::new(devices, case)?;
    lanes.check(case)?;
    lanes.time(case, budget)
}

/// Runs the benchmark; returns whether every result was right.
fn run() -> Outcome<bool> {
    let arguments = Arguments::read()?;
    if arguments.middle {
        middle::print(arguments.quick)?;
        return Ok(true);
    }
    let budget = Duration::from_millis(if arguments.quick { 60 } else { 3000 });
    let (mut reports, mut failed) = (Vec::new(), Vec::new());
    for devices in arguments.open()? {
        let device = devices.varied.clone();
        let mut rows = Vec::new();
        let scale = Scale::of(device.caps(), arguments.quick);
        for (name, make) in cases::ALL.into_iter().filter(|(name, _)| arguments.wants(name)) {
            eprintln!("{}: {name} ...", device.selector());
            match run_case(&devices, &make(scale), budget) {
                Ok(samples) => rows.push(Row { name, samples }),
                Err(error) => failed.push(format!("{}: {name}: {error}", device.selector())),
            }
            devices.trim();
        }
        let report = Report { device, rows };
        report.print();
        reports.push(report);
    }
    if let Some(file) = &arguments.json {
        report::write_json(file, &reports)?;
    }
    if let Some(file) = &arguments.csv {
        report::write_csv(file, &reports)?;
    }
    for line in &failed {
        println!("FAILED: {line}");
    }
    Ok(failed.is_empty())
}

fn main() -> ExitCode {
    ended(run())
}
