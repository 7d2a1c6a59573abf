//! Reading of timelines: JSON in the format of trace events, as [`Profile::trace`](anywarp::insight::Profile::trace)
//! writes it.

use std::path::Path;
use std::time::Duration;

use anywarp::insight::{Idle, Span, SpanKind, Summary};
use serde_json::Value;

use crate::failure::Failure;

/// A century in seconds.
const CENTURY: f64 = 3.2e9;

/// Reads a file and returns the sums of its spans.
pub(crate) fn summary(path: &Path) -> Result<Summary, Failure> {
    let failed = |found: String| {
        Failure::File(format!(
            "{}: expected a timeline that `anywarp run --trace` wrote, {found}: write one with `anywarp run \
             kernel.wgsl .. --trace FILE`",
            path.display()
        ))
    };
    let text = std::fs::read(path).map_err(|error| failed(format!("this cannot be read: {error}")))?;
    let trace: Value = serde_json::from_slice(&text).map_err(|error| failed(format!("this is no JSON: {error}")))?;
    of(&trace).map_err(failed)
}

/// The sums of a trace; or the description of what was found instead.
fn of(trace: &Value) -> Result<Summary, String> {
    let events = trace["traceEvents"].as_array().ok_or("found JSON without a list 'traceEvents'")?;
    let other = &trace["otherData"];
    if other["producer"] != "anywarp" {
        return Err("found the trace of another program, as 'otherData.producer' is not \"anywarp\"".to_owned());
    }
    let time = |name: &str| time(&other[name]).ok_or_else(|| format!("found no time 'otherData.{name}'"));
    let idle = Idle {
        busy: time("busy_us")?,
        compiling: time("compiling_us")?,
        transfer: time("transfer_us")?,
        host: time("host_us")?,
        other: time("other_us")?,
    };
    let spans: Vec<Span> =
        events.iter().enumerate().filter_map(|(at, event)| span(at, event).transpose()).collect::<Result<_, _>>()?;
    let dropped = other["dropped"].as_u64().ok_or("found no number 'otherData.dropped'")?;
    Ok(Summary { dropped, ..Summary::of(&spans, time("duration_us")?, idle) })
}

/// The span that an event describes; `None` for another event.
fn span(at: usize, event: &Value) -> Result<Option<Span>, String> {
    let kind = event["cat"].as_str().and_then(SpanKind::named);
    let (Some(kind), true) = (kind, event["ph"] == "X") else { return Ok(None) };
    let lacks = |what| format!("found event {at} of the kind '{}' without '{what}'", kind.name());
    let label = event["name"].as_str().ok_or_else(|| lacks("name"))?.into();
    let start = time(&event["ts"]).ok_or_else(|| lacks("ts"))?;
    let end = start + time(&event["dur"]).ok_or_else(|| lacks("dur"))?;
    Ok(Some(Span { kind, label, stream: 0, submission: 0, bytes: 0, workgroups: None, thread: 0, start, end }))
}

/// A number of microseconds. No timeline is as long as a century, and the sums of shorter times do not overflow.
fn time(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().map(|us| us / 1e6).filter(|seconds| *seconds < CENTURY)?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace(event: Value) -> Value {
        let other = json!({ "producer": "anywarp", "duration_us": 9.5, "busy_us": 1.0, "compiling_us": 2.0, "transfer_us": 0.0, "host_us": 3.0, "other_us": 3.5, "dropped": 4 });
        json!({ "traceEvents": [event], "otherData": other })
    }

    #[test]
    fn spans_and_the_division_of_time_are_read() {
        let kernel = json!({ "ph": "X", "cat": "kernel", "name": "k", "ts": 1.0, "dur": 2.25 });
        let summary = of(&trace(kernel)).unwrap();
        assert_eq!((summary.sums.len(), summary.sums[0].total), (1, Duration::from_nanos(2250)));
        assert_eq!((summary.duration, summary.idle.other), (Duration::from_nanos(9500), Duration::from_nanos(3500)));
        assert_eq!(summary.dropped, 4);
        let counter = json!({ "ph": "C", "cat": "kernel", "name": "bytes" });
        assert_eq!(of(&trace(counter)).unwrap().sums, []);
    }

    #[test]
    fn what_is_no_timeline_is_described() {
        let mut without = trace(json!({}));
        without["otherData"]["host_us"] = json!("none");
        let endless = trace(json!({ "ph": "X", "cat": "wait", "name": "wait", "ts": 1.0 }));
        let table = [
            (json!([]), "without a list 'traceEvents'"),
            (json!({ "traceEvents": [] }), "another program"),
            (without, "no time 'otherData.host_us'"),
            (endless, "event 0 of the kind 'wait' without 'dur'"),
            (trace(json!({ "ph": "X", "cat": "wait", "name": "wait", "ts": 1e25, "dur": 1e25 })), "without 'ts'"),
        ];
        for (trace, expected) in table {
            let found = of(&trace).unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }
}
