//! The table of `anywarp ring top`.

use std::fmt::Write;
use std::time::Duration;

use anywarp::ring::{ActorTelemetry, Histogram, Report, Telemetry};
use serde_json::{Value, json};

use crate::terminal;

/// The most actors in a table on a terminal.
const ROWS: usize = 16;

/// The lines on the screen, and the counts that they show.
pub(super) struct Screen {
    is_terminal: bool,
    json: bool,
    /// The number of lines to draw anew.
    drawn: usize,
    last: Telemetry,
}

impl Screen {
    pub(super) fn new(is_terminal: bool, json: bool, first: Telemetry) -> Self {
        Self { is_terminal, json, drawn: 0, last: first }
    }

    /// The text for the counts at the end of a time.
    pub(super) fn next(&mut self, telemetry: Telemetry) -> String {
        let took = telemetry.uptime.saturating_sub(self.last.uptime);
        let all = Row::of(&telemetry.total(), &self.last.total(), took, telemetry.actors.len());
        let mut text = String::new();
        if self.json {
            text = all.json(telemetry.uptime).to_string();
        } else if self.is_terminal {
            text = self.screen(&telemetry, &all, took);
        } else {
            if self.drawn == 0 {
                let _ = writeln!(text, "{:>8} {HEAD}", "seconds");
                self.drawn = 1;
            }
            let _ = write!(text, "{:>8.1} {}", telemetry.uptime.as_secs_f64(), all.text());
        }
        self.last = telemetry;
        text
    }

    /// The whole table, over that of before.
    fn screen(&mut self, telemetry: &Telemetry, all: &Row, took: Duration) -> String {
        let mut rows: Vec<(usize, Row)> = telemetry
            .actors
            .iter()
            .zip(&self.last.actors)
            .map(|(actor, before)| Row::of(actor, before, took, 1))
            .enumerate()
            .collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.received));
        rows.truncate(ROWS);
        rows.sort_by_key(|(number, _)| *number);
        let mut lines = vec![format!("{:>8} {HEAD}", "actor")];
        lines.extend(rows.iter().map(|(number, row)| format!("{number:>8} {}", row.text())));
        lines.push(format!("{:>8} {}", "all", all.text()));
        let up = if self.drawn > 0 { format!("\x1b[{}A", self.drawn) } else { String::new() };
        self.drawn = lines.len();
        // Each line is cleared behind its end. The printer adds the last newline.
        up + &lines.join("\x1b[K\n") + "\x1b[K"
    }
}

const HEAD: &str = "  received    replied  dropped  errors  queue   high       p50       p99     p99.9   busy";

/// One line.
struct Row {
    received: u64,
    replied: u64,
    dropped: u64,
    errors: u64,
    queue: u64,
    high: u64,
    latency: Histogram,
    busy: f64,
}

impl Row {
    /// The counts of actors, and what was added to them in the time that it `took`.
    fn of(now: &ActorTelemetry, before: &ActorTelemetry, took: Duration, actors: usize) -> Self {
        let busy = now.busy.saturating_sub(before.busy).as_secs_f64();
        Self {
            received: now.received,
            replied: now.handled,
            dropped: now.dropped,
            errors: now.unanswered,
            queue: now.queued,
            high: now.high_water,
            latency: now.latency.since(&before.latency),
            busy: (busy / (took.as_secs_f64() * actors as f64).max(f64::MIN_POSITIVE)).min(1.0),
        }
    }

    fn quantiles(&self) -> [Duration; 3] {
        [0.5, 0.99, 0.999].map(|share| self.latency.quantile(share))
    }

    fn text(&self) -> String {
        let Self { received, replied, dropped, errors, queue, high, .. } = self;
        let [half, most, nearly_all] = self
            .quantiles()
            .map(|time| if self.latency.count() == 0 { "-".to_owned() } else { terminal::duration(time) });
        let busy = self.busy * 100.0;
        format!(
            "{received:>10} {replied:>10} {dropped:>8} {errors:>7} {queue:>6} {high:>6} {half:>9} {most:>9} \
             {nearly_all:>9} {busy:>5.1}%"
        )
    }

    fn json(&self, uptime: Duration) -> Value {
        let Self { received, replied, dropped, errors, queue, high, busy, .. } = self;
        let [half, most, nearly_all] = self.quantiles().map(|time| time.as_secs_f64() * 1e6);
        json!({
            "seconds": uptime.as_secs_f64(),
            "received": received,
            "replied": replied,
            "dropped": dropped,
            "errors": errors,
            "queue": queue,
            "high_water": high,
            "p50_us": half,
            "p99_us": most,
            "p99_9_us": nearly_all,
            "busy": busy,
        })
    }
}

/// The counts at the end, on a line.
pub(super) fn report_line(report: &Report) -> String {
    let total = report.telemetry.total();
    format!(
        "{} in {:.1} s, {}: received {}, replied {}, dropped {}, errors {}, {:.0} messages/s",
        if report.failure.is_some() { "failed" } else { "ended" },
        report.uptime.as_secs_f64(),
        report.telemetry.mode,
        total.received,
        total.handled,
        total.dropped,
        total.unanswered,
        report.telemetry.throughput()
    )
}

/// The counts at the end, as an object.
pub(super) fn report_as_json(report: &Report) -> Value {
    let total = report.telemetry.total();
    json!({
        "report": {
            "mode": report.telemetry.mode.to_string(),
            "seconds": report.uptime.as_secs_f64(),
            "received": total.received,
            "replied": total.handled,
            "dropped": total.dropped,
            "errors": total.unanswered,
            "messages_per_second": report.telemetry.throughput(),
        }
    })
}
