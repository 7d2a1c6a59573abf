//! The table of a device, its goals, and the output files.

use std::path::Path;

use anywarp::Device;

use crate::cases::PAIR;
use crate::lanes::{DRIVER, GENERAL, OFF, PROVEN, Samples};
use crate::shared::Outcome;

/// The goal for the speed of `Proven` relative to `Off`, as a geometric mean.
const GOAL_MEAN: f64 = 0.97;
/// The goal for the same speed of each kernel.
const GOAL_EACH: f64 = 0.90;
/// The goal for the speed of the product with loops relative to the unrolled one, both `Proven`.
const GOAL_PAIR: f64 = 0.90;

/// The samples of one kernel.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) samples: Samples,
}

impl Row {
    fn proven(&self) -> f64 {
        self.samples.speed(PROVEN)
    }

    fn general(&self) -> f64 {
        self.samples.speed(GENERAL)
    }

    fn driver(&self) -> f64 {
        self.samples.speed(DRIVER)
    }
}

/// The rows of the kernels on one device.
pub(crate) struct Report {
    pub(crate) device: Device,
    pub(crate) rows: Vec<Row>,
}

impl Report {
    pub(crate) fn print(&self) {
        let caps = self.device.caps();
        println!("\n{}: {} ({})\n", self.device.selector(), caps.name, caps.driver);
        println!("{:<18} {:>12}  {:>10}  {:>11}  {:>10}", "kernel", "Off", "Proven/Off", "General/Off", "Driver/Off");
        for row in &self.rows {
            let off = row.samples.seconds(OFF) * 1e6;
            let (proven, general, driver) = (row.proven(), row.general(), row.driver());
            println!("{:<18} {off:>9.1} us  {proven:>10.3}  {general:>11.3}  {driver:>10.3}", row.name);
        }
        println!("speed relative to Off: 1 is equal, less is slower; medians of rounds\n");
        let mean = self.mean(Row::proven);
        println!("Proven/Off: geometric mean {}", judged(mean, GOAL_MEAN));
        if let Some((name, worst)) = self.worst() {
            println!("Proven/Off: worst {name} {}", judged(worst, GOAL_EACH));
        }
        if let Some(pair) = self.pair() {
            println!("{} / {}, both Proven: {}", PAIR[0], PAIR[1], judged(pair, GOAL_PAIR));
        }
        println!("General/Off: geometric mean {:.3}", self.mean(Row::general));
        println!("Driver/Off: geometric mean {:.3}", self.mean(Row::driver));
    }

    fn mean(&self, speed: impl Fn(&Row) -> f64) -> f64 {
        (self.rows.iter().map(|row| speed(row).ln()).sum::<f64>() / self.rows.len() as f64).exp()
    }

    fn worst(&self) -> Option<(&'static str, f64)> {
        let speeds = self.rows.iter().map(|row| (row.name, row.proven()));
        speeds.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// The speed of the product with loops relative to the unrolled one.
    fn pair(&self) -> Option<f64> {
        let [loops, unrolled] = PAIR.map(|name| self.rows.iter().find(|row| row.name == name));
        Some(unrolled?.samples.seconds(PROVEN) / loops?.samples.seconds(PROVEN))
    }

    fn json(&self) -> serde_json::Value {
        let caps = self.device.caps();
        let rows: Vec<serde_json::Value> = self
            .rows
            .iter()
            .map(|row| {
                serde_json::json!({
                    "kernel": row.name, "off_us": row.samples.seconds(OFF) * 1e6,
                    "proven_us": row.samples.seconds(PROVEN) * 1e6, "general_us": row.samples.seconds(GENERAL) * 1e6, "driver_us": row.samples.seconds(DRIVER) * 1e6,
                    "proven": row.proven(), "general": row.general(), "driver": row.driver(),
                })
            })
            .collect();
        let (worst, speed) = self.worst().unzip();
        serde_json::json!({
            "selector": self.device.selector(), "device": caps.name, "backend": caps.backend.name(), "driver": caps.driver,
            "proven_mean": self.mean(Row::proven), "general_mean": self.mean(Row::general), "driver_mean": self.mean(Row::driver), "worst": worst,
            "proven_worst": speed, "loops_through_unrolled": self.pair(), "rows": rows,
        })
    }

    fn csv(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| {
            let times = [OFF, PROVEN, GENERAL, DRIVER].map(|lane| format!("{:.3}", row.samples.seconds(lane) * 1e6));
            let speeds = [row.proven(), row.general(), row.driver()].map(|speed| format!("{speed:.4}"));
            format!("{},{},{},{}\n", self.device.selector(), row.name, times.join(","), speeds.join(","))
        })
    }
}

/// Writes the reports of all devices as one JSON object.
pub(crate) fn write_json(file: &Path, reports: &[Report]) -> Outcome<()> {
    let devices: Vec<serde_json::Value> = reports.iter().map(Report::json).collect();
    let all = serde_json::json!({ "bench": "checks", "devices": devices });
    Ok(std::fs::write(file, serde_json::to_string_pretty(&all)?)?)
}

/// Writes one line for each kernel of each device, as CSV.
pub(crate) fn write_csv(file: &Path, reports: &[Report]) -> Outcome<()> {
    let times = "off_us,proven_us,general_us,driver_us";
    let head = format!("device,kernel,{times},proven_through_off,general_through_off,driver_through_off\n");
    Ok(std::fs::write(file, std::iter::once(head).chain(reports.iter().flat_map(Report::csv)).collect::<String>())?)
}

/// Formats a speed, and whether it meets its goal.
fn judged(speed: f64, goal: f64) -> String {
    let verdict = if speed >= goal { "met" } else { "MISSED" };
    format!("{speed:.3} (>= {goal:.2}: {verdict})")
}
