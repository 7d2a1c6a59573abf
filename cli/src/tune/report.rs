//! The report of a search: all candidates, and the best values.

use std::time::Duration;

use anywarp::insight::Ceilings;
use anywarp::ops::Cost;
use anywarp::tune::{Origin, Row, Tuned, TunedCall, TunedOperator};
use serde_json::{Map, Value, json};

use crate::report::Device;
use crate::terminal;

pub(super) fn table(device: &Device, tuned: &Tuned) -> String {
    let mut table = terminal::table();
    table.set_header(["values", cost_name(tuned.rows()), "rounds", "speed", ""]);
    let default = tuned.rows().iter().find(|row| row.candidate == 0);
    for row in tuned.rows() {
        table.add_row([row.values.clone(), cost(row), row.rounds.to_string(), speed(default, row), note(row)]);
    }
    let options: Vec<String> =
        tuned.overrides().iter().map(|(name, value)| format!("--override {name}={value}")).collect();
    let ended = ended(tuned.origin()).unwrap_or_else(|| "nothing was measured".to_owned());
    let Device { name, selector, .. } = device;
    format!("{name} ({selector}): {ended}\n\n{}\n\nbest: {}", table.trim_fmt(), options.join(" "))
}

/// The property by which candidates were compared.
fn cost_name(rows: &[Row]) -> &'static str {
    if rows.iter().any(|row| row.energy.is_some()) { "energy" } else { "time" }
}

fn cost(row: &Row) -> String {
    let energy = || row.energy.map_or("-".to_owned(), |joules| format!("{:.3} mJ", joules * 1e3));
    row.time.map_or_else(energy, terminal::duration)
}

/// The ratio of the default's cost to that of a candidate.
fn speed(default: Option<&Row>, row: &Row) -> String {
    let cost = |row: &Row| row.time.map(|time| time.as_secs_f64()).or(row.energy);
    let ratio = default.and_then(cost).zip(cost(row)).filter(|(_, cost)| *cost > 0.0);
    ratio.map_or("-".to_owned(), |(default, cost)| format!("{:.2}x", default / cost))
}

/// The reason for the end of a search; `None` if nothing was measured.
fn ended(origin: Origin) -> Option<String> {
    match origin {
        Origin::Measured(ended) => Some(ended.to_string()),
        _ => None,
    }
}

/// The least time that the measured ceilings of a device allow for a cost; `None` if `anywarp bench device --save` has
/// not measured the device.
pub(super) fn least(device: &anywarp::Device, cost: Cost) -> Option<Duration> {
    let caps = device.caps();
    let kept = Ceilings::kept(&Ceilings::folder_of_this_user()?).ok()?;
    let ours = format!("{}, {}", caps.backend.name(), caps.name);
    let ceilings = kept.ceilings.into_iter().find(|one| one.device == ours && one.driver == caps.driver)?;
    // Only the bandwidth: tensor cores and libraries exceed the rate of multiply-adds.
    (ceilings.copy > 0.0).then(|| Duration::from_secs_f64(cost.bytes as f64 / ceilings.copy))
}

/// The share of the least possible time, in percent.
fn share(row: &Row, least: Option<Duration>) -> Option<f64> {
    let time = row.time.filter(|time| !time.is_zero())?;
    Some(100.0 * least?.as_secs_f64() / time.as_secs_f64())
}

pub(super) fn operators_table(device: &Device, tuned: &TunedCall, least: Option<Duration>) -> String {
    let Device { name, selector, .. } = device;
    let mut text = format!("{name} ({selector})");
    for operator in tuned.operators() {
        let mut table = terminal::table();
        table.set_header(["candidate", cost_name(operator.rows()), "rounds", "speed", "of the roofline", ""]);
        for row in operator.rows() {
            let speed = speed(operator.default_row(), row);
            let share = share(row, least).map_or("-".to_owned(), |share| format!("{share:.0} %"));
            table.add_row([row.values.clone(), cost(row), row.rounds.to_string(), speed, share, note(row)]);
        }
        let ended = ended(operator.origin()).unwrap_or_else(|| "nothing was measured".to_owned());
        let bits = if operator.exact() { "all candidates give the same bits" } else { "sums may have another order" };
        let (name, sizes, best) = (operator.operator(), operator.sizes(), operator.chosen());
        text.push_str(&format!("\n\n{name}, {sizes}: {ended}; {bits}\n\n{}\n\nbest: {best}", table.trim_fmt()));
    }
    if least.is_none() {
        text.push_str("\n\nThe roofline is not known: `anywarp bench device --save` measures it.");
    }
    text
}

pub(super) fn operators_json(device: &Device, name: &str, tuned: &TunedCall, least: Option<Duration>) -> String {
    let one = |operator: &TunedOperator| {
        let rows: Vec<Value> = operator
            .rows()
            .iter()
            .map(|one| {
                let mut row = row(one);
                row["share"] = json!(share(one, least).map(|percent| percent / 100.0));
                row
            })
            .collect();
        json!({
            "operator": operator.operator(), "sizes": operator.sizes(), "best": operator.chosen(),
            "exact": operator.exact(), "ended": ended(operator.origin()), "candidates": rows,
        })
    };
    let operators: Vec<Value> = tuned.operators().iter().map(one).collect();
    let least = least.map(|least| least.as_nanos() as f64 / 1e3);
    format!("{:#}", json!({ "device": device, "name": name, "least_us": least, "operators": operators }))
}

fn note(row: &Row) -> String {
    match &row.dropped {
        Some(dropped) => dropped.to_string().lines().next().unwrap_or_default().to_owned(),
        None if row.time.is_none() && row.energy.is_none() => "not tried".to_owned(),
        None if row.candidate == 0 => "default".to_owned(),
        None => String::new(),
    }
}

pub(super) fn json(device: &Device, tuned: &Tuned) -> String {
    let rows: Vec<Value> = tuned.rows().iter().map(row).collect();
    let best: Map<String, Value> =
        tuned.overrides().iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let ended = ended(tuned.origin());
    let object = json!({
        "device": device, "kernel": tuned.kernel().name(), "best": best, "ended": ended, "candidates": rows,
    });
    format!("{object:#}")
}

fn row(row: &Row) -> Value {
    json!({
        "values": row.values,
        "default": row.candidate == 0,
        "time_us": row.time.map(|time| time.as_nanos() as f64 / 1e3),
        "energy_mj": row.energy.map(|joules| joules * 1e3),
        "rounds": row.rounds,
        "dropped": row.dropped.as_ref().map(ToString::to_string),
    })
}
