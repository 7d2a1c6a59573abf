//! `anywarp devices`: what kernels can run on.

use anywarp::backend::{Caps, Limits};
use anywarp::{Candidate, Device};
use comfy_table::{ColumnConstraint, Width};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal;

/// Characters of a column before its text wraps.
const COLUMN: u16 = 44;

/// Prints every device, or says what to install where there is none.
pub(crate) fn devices(json: bool) -> Result<(), Failure> {
    let candidates = Device::enumerate();
    if json {
        let list: Vec<Value> = candidates.iter().map(as_json).collect();
        terminal::print(&format!("{:#}", Value::Array(list)))?;
    } else if !candidates.is_empty() {
        terminal::print(&as_table(&candidates))?;
    }
    if candidates.is_empty() {
        // The library's error says what to install.
        Device::open_default()?;
    }
    Ok(())
}

/// One column a device: the long rows wrap, and a machine has few devices.
fn as_table(candidates: &[Candidate]) -> String {
    let mut table = terminal::table();
    let selectors = candidates.iter().map(|candidate| candidate.selector.as_str());
    table.set_header(std::iter::once("selector").chain(selectors));
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

fn as_json(candidate: &Candidate) -> Value {
    let caps = &candidate.caps;
    json!({
        "selector": candidate.selector,
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
