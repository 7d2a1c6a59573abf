//! `anywarp trace`: timelines that `run --trace` wrote.

mod read;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anywarp::insight::{Compared, Comparison, Idle, Pair};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal;

#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// Compare two timelines: the time of each kernel, and idle time, before and after a change
    Compare {
        /// The timeline before the change, which `run --trace` wrote
        #[arg(value_name = "BASE.json")]
        base: PathBuf,

        /// The timeline after the change
        #[arg(value_name = "TRACE.json")]
        trace: PathBuf,
    },
}

/// Compares two timelines, and prints a table or, with `json`, an object.
pub(crate) fn trace(command: &TraceCommand, json: bool) -> Result<(), Failure> {
    let TraceCommand::Compare { base, trace } = command;
    let (before, after) = (read::summary(base)?, read::summary(trace)?);
    let comparison = after.compare(&before);
    if json {
        return terminal::print(&format!("{:#}", as_json(&comparison, base, trace)));
    }
    terminal::print(&comparison.to_string())
}

fn as_json(comparison: &Comparison, base: &Path, trace: &Path) -> Value {
    let rows: Vec<Value> = comparison.rows.iter().map(row).collect();
    let part = |of: fn(Idle) -> Duration| {
        let Pair { before, after } = comparison.idle;
        times(Pair { before: of(before), after: of(after) })
    };
    json!({
        "base": base.display().to_string(),
        "trace": trace.display().to_string(),
        "duration_us": times(comparison.duration),
        "busy_us": part(|idle| idle.busy),
        "compiling_us": part(|idle| idle.compiling),
        "transfer_us": part(|idle| idle.transfer),
        "host_us": part(|idle| idle.host),
        "other_us": part(|idle| idle.other),
        "dropped": { "before": comparison.dropped.before, "after": comparison.dropped.after },
        "rows": rows,
    })
}

fn row(row: &Compared) -> Value {
    json!({
        "kind": row.kind.name(),
        "label": &*row.label,
        "count": { "before": row.count.before, "after": row.count.after },
        "total_us": times(row.total),
        "mean_us": times(row.mean()),
    })
}

/// Times in microseconds.
fn times(pair: Pair<Duration>) -> Value {
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    json!({ "before": us(pair.before), "after": us(pair.after), "difference": pair.difference() * 1e6 })
}
