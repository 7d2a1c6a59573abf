//! Kernels over runtime-sized arrays, in forms that are usual in programs: sizes in uniforms, few comparisons with
//! `arrayLength`. They run in turns with the checks that are not proven needless, with all checks, and with none.
//!
//! `cargo bench --bench real_checks -- [--device SELECTOR].. [--kernel NAME] [--quick]`
//!
//! `Proven` is a variant for launches that are all alike, with their numbers as constants. `Conditions` is a variant
//! for launches that are not alike but meet the same conditions, such as `params.n <= arrayLength(&x)`. `General` is
//! the kernel without variants, `Driver` has the checks of plain wgpu. Speeds are relative to that of `Off`, which
//! checks nothing. Every result is compared with plain Rust before it is timed.

#[path = "../checks/case.rs"]
#[allow(dead_code, reason = "cases of another bench judge results in more ways")]
mod case;
mod cases;
#[path = "../checks/lanes.rs"]
mod lanes;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "benches with another baseline use the rest")]
mod shared;

use std::process::ExitCode;
use std::time::Duration;

use anywarp::{AccessCounts, Variants, Wgsl};
use anywarp_testing_devices::libtest::BenchOptions;
use case::Scale;
use clap::Parser;
use lanes::{DRIVER, Devices, GENERAL, Lanes, OFF, PROVEN};
use shared::{Outcome, ended};

/// The arguments after `--`.
#[derive(Parser)]
struct Arguments {
    /// A device, in the form of `ANYWARP_DEVICE`; may be repeated. By default `cpu` and `vulkan`.
    #[arg(long = "device", value_name = "SELECTOR", default_values = ["cpu", "vulkan"])]
    devices: Vec<String>,
    /// Only kernels whose name contains this text.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Fewer repetitions, smaller sizes.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    _bench: BenchOptions,
}

impl Arguments {
    fn wants(&self, name: &str) -> bool {
        self.kernel.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

/// The speeds of one kernel, relative to the speed of `Off`.
struct Row {
    name: &'static str,
    off: f64,
    /// The speeds of the lanes Proven, Conditions, General and Driver.
    speeds: [f64; 4],
    counts: AccessCounts,
}

/// The devices of a selector, opened once for each kind of variants.
struct Opened {
    numbers: Devices,
    conditions: Devices,
}

impl Opened {
    fn open(selector: &str) -> Outcome<Self> {
        let numbers = Devices::open_with(selector, Variants::AtOnce)?;
        let conditions = Devices::open_with(selector, Variants::AtOnceByConditions)?;
        Ok(Self { numbers, conditions })
    }
}

fn row(
    opened: &Opened,
    quick: bool,
    (name, text, make): (&'static str, &str, fn(Scale) -> case::Case),
) -> Outcome<Row> {
    let budget = Duration::from_millis(if quick { 60 } else { 2500 });
    let measured = |devices: &Devices| -> Outcome<_> {
        let case = make(Scale::of(devices.varied.caps(), quick));
        let mut lanes = Lanes::new(devices, &case)?;
        lanes.check(&case)?;
        let samples = lanes.time(&case, budget)?;
        drop(lanes);
        devices.trim();
        Ok(samples)
    };
    let (numbers, conditions) = (measured(&opened.numbers)?, measured(&opened.conditions)?);
    let counts = Wgsl::new(text).explain(opened.numbers.varied.caps())?.counts();
    let speeds = [numbers.speed(PROVEN), conditions.speed(PROVEN), numbers.speed(GENERAL), numbers.speed(DRIVER)];
    Ok(Row { name, off: numbers.seconds(OFF), speeds, counts })
}

fn print(selector: &str, rows: &[Row]) {
    println!("\n{selector}\n");
    let head = ["kernel", "Off", "Proven", "Conditions", "General", "Driver", "always", "at launch", "checked"];
    println!(
        "{:<15} {:>11} {:>8} {:>11} {:>8} {:>8} {:>8} {:>10} {:>8}",
        head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7], head[8]
    );
    for Row { name, off, speeds: [proven, conditions, general, driver], counts } in rows {
        println!(
            "{name:<15} {:>8.1} us {proven:>8.3} {conditions:>11.3} {general:>8.3} {driver:>8.3} {:>8} {:>10} {:>8}",
            off * 1e6,
            counts.proven,
            counts.at_launch,
            counts.checked
        );
    }
    let mean = |lane: usize| (rows.iter().map(|row| row.speeds[lane].ln()).sum::<f64>() / rows.len() as f64).exp();
    let sum = |count: fn(&AccessCounts) -> usize| rows.iter().map(|row| count(&row.counts)).sum::<usize>();
    println!(
        "{:<15} {:>11} {:>8.3} {:>11.3} {:>8.3} {:>8.3} {:>8} {:>10} {:>8}",
        "mean, sum",
        "",
        mean(0),
        mean(1),
        mean(2),
        mean(3),
        sum(|counts| counts.proven),
        sum(|counts| counts.at_launch),
        sum(|counts| counts.checked)
    );
    println!("speeds through that of Off: 1 is as fast, less is slower; medians of rounds, geometric means");
}

/// Runs the benchmark; returns whether every result was right.
fn run() -> Outcome<bool> {
    let arguments = Arguments::parse();
    let mut right = true;
    for selector in &arguments.devices {
        let opened = match Opened::open(selector) {
            Ok(opened) => opened,
            Err(error) => {
                println!("FAILED: {selector}: {error}");
                right = false;
                continue;
            }
        };
        let mut rows = Vec::new();
        for one in cases::ALL.into_iter().filter(|(name, ..)| arguments.wants(name)) {
            eprintln!("{selector}: {} ...", one.0);
            match row(&opened, arguments.quick, one) {
                Ok(row) => rows.push(row),
                Err(error) => {
                    println!("FAILED: {selector}: {}: {error}", one.0);
                    right = false;
                }
            }
        }
        print(selector, &rows);
    }
    Ok(right)
}

fn main() -> ExitCode {
    ended(run())
}
