//! Measures how much faster operators are with the candidates that tuning finds, and what tuning costs.
//!
//! `cargo bench --bench tune -- [--device SELECTOR] [--quick] [--json FILE] [--budget SECONDS] [--only NAME,..]
//! [--export FILE]`
//!
//! Each shape is tuned, and then the default and the chosen candidate are measured again, in turn, so that the ratio
//! is not the luck of the search. The tuner compares the results of all candidates with those of the default, which the
//! bench compares with a plain loop on the host at some elements. `--export` writes the measurements as a table of known
//! cards.

mod cases;
mod cost;
#[allow(dead_code, reason = "nothing is held against wgpu here")]
#[path = "../shared/mod.rs"]
mod shared;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anywarp::Device;
use anywarp::backend::DeviceKind;
use anywarp::tune::{Mode, OperatorTuner, State, Store, TunedOperator, Workload};
use clap::Parser;
use shared::{Arguments, Outcome};

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    arguments: Arguments,
    /// The seconds for the search of each shape.
    #[arg(long, value_name = "SECONDS", default_value = "8")]
    budget: f64,
    /// The operators to tune, in place of all: `matmul_f32`, `matmul_f16`, sort, scan, conv, softmax, cost.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    only: Vec<String>,
    /// The file for the measurements, in the format of kept results.
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
}

/// The measurements of one shape.
struct Row {
    name: String,
    default: Duration,
    tuned: Duration,
    chosen: String,
    default_name: String,
    tried: usize,
    dropped: usize,
    wrong: Vec<String>,
    /// The question of the operator, as results are kept by.
    key: [String; 2],
}

impl Row {
    fn ratio(&self) -> f64 {
        self.default.as_secs_f64() / self.tuned.as_secs_f64().max(1e-9)
    }
}

/// A table that tunes shapes and collects their rows.
pub(crate) struct Bench {
    pub(crate) device: Device,
    /// Whether the device is a processor, so that shapes are small.
    pub(crate) small: bool,
    budget: Duration,
    store: Store,
    rows: Vec<Row>,
}

impl Bench {
    /// Tunes a call twice: all candidates, then the winner against the default. `check` has compared the results of the
    /// default with those of the host.
    pub(crate) fn tune(&mut self, name: String, mut call: impl Workload, check: Result<(), String>) -> Outcome<()> {
        let tuned = OperatorTuner::new(&self.device, Borrowed(&mut call)).budget(self.budget).store(self.store.clone());
        let tuned = match tuned.mode(Mode::Again).run() {
            Err(error) if error.to_string().contains("nothing to tune") => {
                println!("{name:44} {error}");
                return Ok(());
            }
            tuned => tuned?,
        };
        let Some(first) = tuned.operators().first() else { return Err("nothing was tuned".into()) };
        let default = first.default_row().map_or("", |row| &row.values).to_owned();
        let again = OperatorTuner::new(&self.device, Borrowed(&mut call)).only([first.chosen()]).store(None);
        let again = again.mode(Mode::Again).budget(self.budget).rounds(41).run();
        // A chosen default has no other candidate.
        let timed = again.ok().and_then(|again| times(again.operators().first()?, first.chosen()));
        let (default_time, tuned_time) = timed.or_else(|| times(first, first.chosen())).unwrap_or_default();
        let dropped = first.rows().iter().filter_map(|row| Some((row, row.dropped.as_ref()?)));
        let mut wrong: Vec<String> = dropped
            .clone()
            .map(|(row, reason)| format!("{}: {reason}", row.values))
            .filter(|text| text.contains("wrong"))
            .collect();
        wrong.extend(check.err().map(|error| format!("the default against the host: {error}")));
        let row = Row {
            name,
            default: default_time,
            tuned: if first.chosen() == default { default_time } else { tuned_time },
            chosen: first.chosen().to_owned(),
            default_name: default,
            tried: first.rows().iter().filter(|row| row.rounds > 0).count(),
            dropped: dropped.count(),
            wrong,
            key: [format!("{} operator", first.operator()), first.sizes().to_owned()],
        };
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "{:44} {:>11.1} {:>11.1} {:>6.2}x  {} (default {}; {} tried, {} dropped){}",
            row.name,
            us(row.default),
            us(row.tuned),
            row.ratio(),
            row.chosen,
            row.default_name,
            row.tried,
            row.dropped,
            if row.wrong.is_empty() { ", checked" } else { ", WRONG" },
        );
        row.wrong.iter().for_each(|wrong| println!("    {}", wrong.lines().next().unwrap_or_default()));
        self.rows.push(row);
        Ok(())
    }
}

/// The times of the default and of a candidate.
fn times(operator: &TunedOperator, chosen: &str) -> Option<(Duration, Duration)> {
    let tuned = operator.rows().iter().find(|row| row.values == chosen)?.time?;
    Some((operator.default_row()?.time?, tuned))
}

/// A workload that is used again.
struct Borrowed<'w, W>(&'w mut W);

impl<W: Workload> Workload for Borrowed<'_, W> {
    fn record(&mut self) -> anywarp::Result<anywarp::Recording> {
        self.0.record()
    }

    fn reset(&mut self, poisoned: bool) -> anywarp::Result<()> {
        self.0.reset(poisoned)
    }

    fn results(&mut self) -> anywarp::Result<Vec<anywarp::tune::Contents>> {
        self.0.results()
    }
}

fn mean(rows: &[Row], prefix: &str) -> Option<f64> {
    let ratios: Vec<f64> = rows.iter().filter(|row| row.name.starts_with(prefix)).map(|row| row.ratio().ln()).collect();
    (!ratios.is_empty()).then(|| (ratios.iter().sum::<f64>() / ratios.len() as f64).exp())
}

fn run() -> Outcome<bool> {
    let Options { arguments, budget, only, export } = Options::parse();
    let device = arguments.device()?;
    let folder = std::env::temp_dir().join(format!("anywarp-bench-tune-{}", std::process::id()));
    let small = arguments.quick || device.caps().kind == DeviceKind::Software;
    let budget = Duration::from_secs_f64(if arguments.quick { budget.min(0.5) } else { budget });
    println!("{} ({}), driver {}", device.caps().name, device.selector(), device.caps().driver);
    println!("{:44} {:>11} {:>11} {:>7}  chosen", "shape", "default us", "tuned us", "ratio");
    let mut bench = Bench { device, small, budget, store: Store::open(&folder), rows: Vec::new() };
    let mut failures = Vec::new();
    for (name, tune) in cases::ALL {
        if only.is_empty() || only.iter().any(|only| only == name) {
            // An operator that fails does not suppress the figures of the others.
            if let Err(error) = tune(&mut bench) {
                println!("{name}: {error}");
                failures.push(format!("{name}: {error}"));
            }
        }
    }
    let mut summary = String::new();
    for (name, _) in cases::ALL {
        if let Some(mean) = mean(&bench.rows, &format!("{name} ")) {
            let _ = writeln!(summary, "geometric mean of {name}: {mean:.3}x");
        }
    }
    if let Some(mean) = mean(&bench.rows, "") {
        let least = bench.rows.iter().map(Row::ratio).fold(f64::INFINITY, f64::min);
        let _ = writeln!(summary, "geometric mean of all {} shapes: {mean:.3}x; least {least:.3}x", bench.rows.len());
    }
    print!("{summary}");
    if only.is_empty() || only.iter().any(|only| only == "cost") {
        cost::lookups(&bench.device)?;
        cost::search(&bench.device)?;
    }
    if let Some(path) = export {
        // Only what is worth another kernel than the default one.
        let faster = |kernel: &str, sizes: &str| {
            bench.rows.iter().any(|row| row.key == [kernel, sizes] && row.ratio() >= 1.05 && row.wrong.is_empty())
        };
        let mut kept = bench.store.read()?;
        for record in &mut kept.records {
            // Known cards hold for all versions of an operator, so that the fingerprint of this one is left out.
            record.kernel.truncate(record.kernel.rfind(' ').unwrap_or(0));
        }
        kept.records.retain(|record| record.state == State::Best && faster(&record.kernel, &record.sizes));
        std::fs::write(path, kept.to_string())?;
    }
    std::fs::remove_dir_all(folder).ok();
    if let Some(path) = arguments.json() {
        let rows: Vec<String> = bench.rows.iter().map(json).collect();
        std::fs::write(path, rows.join("\n") + "\n")?;
    }
    Ok(failures.is_empty() && bench.rows.iter().all(|row| row.wrong.is_empty()))
}

fn json(row: &Row) -> String {
    let Row { name, chosen, default_name, .. } = row;
    let [default, tuned] = [row.default, row.tuned].map(|time| time.as_secs_f64() * 1e6);
    format!(
        "{{\"shape\": \"{name}\", \"default_us\": {default:.2}, \"tuned_us\": {tuned:.2}, \"ratio\": {:.4}, \"default\": \
         \"{default_name}\", \"chosen\": \"{chosen}\", \"right\": {}}}",
        row.ratio(),
        row.wrong.is_empty()
    )
}

fn main() -> ExitCode {
    shared::ended(run())
}
