//! `anywarp devices`: the devices that can run kernels.

use std::fmt::Write;

use anywarp::backend::{Caps, Limits};
use anywarp::{Candidate, Device};
use comfy_table::{ColumnConstraint, Width};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal;

/// The width at which the text of a column wraps, in characters.
const COLUMN: u16 = 44;

/// Prints every device, the default one, and why others are missing; without any device, what to install.
pub(crate) fn devices(json: bool) -> Result<(), Failure> {
    let candidates = Device::enumerate();
    let missing = Device::missing(&candidates);
    let default = Default::open();
    if json {
        let list: Vec<Value> = candidates.iter().map(|candidate| as_json(candidate, &default)).collect();
        let absent = missing
            .iter()
            .map(|one| json!({ "backend": one.selector, "name": one.name, "reason": one.reason }))
            .collect::<Vec<_>>();
        let object = json!({ "default": default.selector.as_ref().ok(), "devices": list, "missing": absent });
        terminal::print(&format!("{object:#}"))?;
    } else {
        let mut text = if candidates.is_empty() { String::new() } else { as_table(&candidates, &default) };
        if !missing.is_empty() {
            text.push_str("\n\nmissing:");
        }
        for one in &missing {
            let _ = write!(text, "\n  {} ({}): {}", one.selector, one.name, one.reason);
        }
        terminal::print(&text)?;
    }
    if let (false, Err(reason)) = (candidates.is_empty(), &default.selector) {
        // The list is complete, so an invalid choice of the default device is reported, but is not an error.
        eprintln!("there is no default device: {reason}");
    }
    if candidates.is_empty() {
        // The library's error names what to install.
        Device::open_default()?;
    }
    Ok(())
}

/// The device that is used if none is named.
struct Default {
    /// The value of `ANYWARP_DEVICE`, if it is set and not blank.
    wanted: Option<String>,
    /// The selector of the device, or the reason why there is none.
    selector: Result<String, String>,
}

impl Default {
    fn open() -> Self {
        let wanted = std::env::var("ANYWARP_DEVICE").ok().filter(|wanted| !wanted.trim().is_empty());
        let selector = Device::open_default().map(|device| device.selector().to_owned());
        Self { wanted, selector: selector.map_err(|error| error.to_string()) }
    }

    /// Whether the default device is `candidate`. `cpu:checked` is the same device as `cpu:0`.
    fn is(&self, candidate: &Candidate) -> bool {
        let same = |selector: &String| {
            *selector == candidate.selector || selector == "cpu:checked" && candidate.selector == "cpu:0"
        };
        self.selector.as_ref().is_ok_and(same)
    }

    /// `yes` if `candidate` is the default device, otherwise the reason why it is not.
    fn answer(&self, candidate: &Candidate) -> String {
        if self.is(candidate) {
            return "yes".to_owned();
        }
        let excluded = self.wanted.as_ref().and_then(|wanted| Some((wanted, candidate.excluded_by(wanted)?)));
        match (excluded, &self.selector) {
            (Some((wanted, reason)), _) => format!("no: ANYWARP_DEVICE={wanted}, and {reason}"),
            (None, Ok(default)) => format!("no: {default} comes first"),
            (None, Err(_)) => "no: it does not open".to_owned(),
        }
    }
}

/// One column per device: long rows wrap, and a machine has few devices.
fn as_table(candidates: &[Candidate], default: &Default) -> String {
    let mut table = terminal::table();
    let selectors = candidates.iter().map(|candidate| candidate.selector.as_str());
    table.set_header(std::iter::once("selector").chain(selectors));
    let answers = candidates.iter().map(|candidate| default.answer(candidate));
    table.add_row(std::iter::once("default".to_owned()).chain(answers));
    let columns: Vec<Vec<(&str, String)>> = candidates.iter().map(|candidate| rows(&candidate.caps)).collect();
    for row in 0..columns.first().map_or(0, Vec::len) {
        let cells = columns.iter().map(|column| column[row].1.clone());
        table.add_row(std::iter::once(columns[0][row].0.to_owned()).chain(cells));
    }
    for column in table.column_iter_mut() {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(COLUMN)));
    }
    table.trim_fmt()
}

fn rows(caps: &Caps) -> Vec<(&'static str, String)> {
    let limits = &caps.limits;
    let [x, y, z] = limits.workgroup_size;
    let features = caps.feature_names();
    vec![
        ("name", caps.name.clone()),
        ("backend", caps.backend.to_string()),
        ("kind", caps.kind.to_string()),
        ("driver", caps.driver.clone()),
        ("memory", caps.memory.map_or("unknown".to_owned(), terminal::bytes)),
        ("unified memory", yes(caps.unified)),
        ("subgroup size", subgroup(caps)),
        ("device clock", yes(caps.timestamps)),
        ("features", if features.is_empty() { "none".to_owned() } else { features.join(", ") }),
        ("largest buffer", terminal::bytes(limits.buffer_size)),
        ("largest storage binding", terminal::bytes(limits.storage_binding_size)),
        ("storage bindings", limits.storage_buffers.to_string()),
        ("workgroup", format!("{} threads, at most {x} x {y} x {z}", limits.workgroup_invocations)),
        ("workgroup memory", terminal::bytes(limits.workgroup_storage.into())),
    ]
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn subgroup(caps: &Caps) -> String {
    match caps.subgroup_size {
        None => "none".to_owned(),
        Some((least, most)) if least == most => least.to_string(),
        Some((least, most)) => format!("{least} to {most}"),
    }
}

fn as_json(candidate: &Candidate, default: &Default) -> Value {
    let caps = &candidate.caps;
    json!({
        "selector": candidate.selector,
        "default": default.is(candidate),
        "why_not_default": (!default.is(candidate)).then(|| default.answer(candidate).replacen("no: ", "", 1)),
        "name": caps.name,
        "backend": caps.backend.name(),
        "kind": caps.kind.to_string(),
        "driver": caps.driver,
        "memory": caps.memory,
        "unified": caps.unified,
        "subgroup_size": caps.subgroup_size.map(|(least, most)| [least, most]),
        "timestamps": caps.timestamps,
        "features": caps.feature_names(),
        "limits": limits_as_json(&caps.limits),
    })
}

fn limits_as_json(limits: &Limits) -> Value {
    json!({
        "buffer_size": limits.buffer_size,
        "storage_binding_size": limits.storage_binding_size,
        "uniform_binding_size": limits.uniform_binding_size,
        "storage_buffers": limits.storage_buffers,
        "uniform_buffers": limits.uniform_buffers,
        "bind_groups": limits.bind_groups,
        "bindings_per_group": limits.bindings_per_group,
        "storage_offset_alignment": limits.storage_offset_alignment,
        "uniform_offset_alignment": limits.uniform_offset_alignment,
        "workgroup_storage": limits.workgroup_storage,
        "workgroup_invocations": limits.workgroup_invocations,
        "workgroup_size": limits.workgroup_size,
        "workgroups_per_dimension": limits.workgroups_per_dimension,
        "immediate_size": limits.immediate_size,
    })
}
