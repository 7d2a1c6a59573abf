//! The report of a search: all candidates, and the best values.

use anywarp::tune::{Origin, Row, Tuned};
use serde_json::{Map, Value, json};

use crate::report::Device;
use crate::terminal;

pub(super) fn table(device: &Device, tuned: &Tuned) -> String {
    let mut table = terminal::table();
    table.set_header(["values", "time", "rounds", "speed", ""]);
    let default = tuned.rows().iter().find(|row| row.candidate == 0).and_then(|row| row.time);
    for row in tuned.rows() {
        let time = row.time.map_or("-".to_owned(), terminal::duration);
        let ratio = default.zip(row.time).filter(|(_, time)| !time.is_zero());
        let speed = ratio
            .map_or("-".to_owned(), |(default, time)| format!("{:.2}x", default.as_secs_f64() / time.as_secs_f64()));
        table.add_row([row.values.clone(), time, row.rounds.to_string(), speed, note(row)]);
    }
    let options: Vec<String> =
        tuned.overrides().iter().map(|(name, value)| format!("--override {name}={value}")).collect();
    let ended = match tuned.origin() {
        Origin::Measured(ended) => ended.to_string(),
        _ => "nothing was measured".to_owned(),
    };
    let Device { name, selector, .. } = device;
    format!("{name} ({selector}): {ended}\n\n{}\n\nbest: {}", table.trim_fmt(), options.join(" "))
}

fn note(row: &Row) -> String {
    match &row.dropped {
        Some(dropped) => dropped.to_string().lines().next().unwrap_or_default().to_owned(),
        None if row.time.is_none() => "not tried".to_owned(),
        None if row.candidate == 0 => "default".to_owned(),
        None => String::new(),
    }
}

pub(super) fn json(device: &Device, tuned: &Tuned) -> String {
    let rows: Vec<Value> = tuned.rows().iter().map(row).collect();
    let best: Map<String, Value> =
        tuned.overrides().iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let ended = match tuned.origin() {
        Origin::Measured(ended) => Some(ended.to_string()),
        _ => None,
    };
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
        "rounds": row.rounds,
        "dropped": row.dropped.as_ref().map(ToString::to_string),
    })
}
