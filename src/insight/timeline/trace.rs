//! A timeline as JSON in the format of trace events, which Perfetto and Chrome's tracing show.
//!
//! The format: "Trace Event Format", Google, 2016. Times are in microseconds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::time::Duration;

use super::{Profile, Span, SpanKind};
use crate::submit::{Event, Observed};

/// The tracks: the thread that made the timeline, the streams from this number on, and other threads from the last one
/// on.
const HOST: u32 = 1;
const STREAMS: u32 = 10;
const THREADS: u32 = 10_000;
/// The tracks of rings, from this number on.
const RINGS: u32 = 9_000;

struct Writer {
    text: String,
    /// The thread whose track is [`HOST`].
    thread: u32,
}

impl Writer {
    /// Writes one event from its members, without braces.
    fn event(&mut self, members: &str) {
        let comma = if self.text.ends_with('[') { "" } else { "," };
        // Writing to a string succeeds.
        let _ = write!(self.text, "{comma}\n{{\"pid\":1,{members}}}");
    }

    /// The track of a thread of the host.
    fn host(&self, thread: u32) -> u32 {
        if thread == self.thread { HOST } else { THREADS.saturating_add(thread) }
    }

    fn span(&mut self, span: &Span) {
        let track = if span.kind.is_on_device() { STREAMS + span.stream } else { self.host(span.thread) };
        let arguments = match (span.kind, span.workgroups) {
            (SpanKind::Kernel, Some(count)) => {
                format!(",\"args\":{{\"submission\":{},\"workgroups\":{count}}}", span.submission)
            }
            (SpanKind::Kernel | SpanKind::Submission, _) => {
                format!(",\"args\":{{\"submission\":{}}}", span.submission)
            }
            (SpanKind::Copy | SpanKind::Fill | SpanKind::CopyIn | SpanKind::CopyOut, _) => {
                format!(",\"args\":{{\"bytes\":{}}}", span.bytes)
            }
            _ => String::new(),
        };
        self.event(&format!(
            "\"ph\":\"X\",\"tid\":{track},\"cat\":\"{}\",\"name\":{},\"ts\":{},\"dur\":{}{arguments}",
            span.kind.name(),
            quoted(&span.label),
            microseconds(span.start),
            microseconds(span.duration())
        ));
    }

    /// Writes a time in which a ring had messages, with the share of its actors that had some, from 0 to 1.
    fn activity(&mut self, track: u32, observed: &Observed) {
        let Event::Activity { name, took, messages, busy, parts, resident } = &observed.event else { return };
        let whole = (took.as_secs_f64() * f64::from(*parts)).max(f64::MIN_POSITIVE);
        let busy = (busy.as_secs_f64() / whole).min(1.0);
        // Launches are the spans of a ring in batches.
        let kind = if *resident { SpanKind::Ring.name() } else { "activity" };
        self.event(&format!(
            "\"ph\":\"X\",\"tid\":{track},\"cat\":\"{kind}\",\"name\":{},\"ts\":{},\"dur\":{},\
             \"args\":{{\"messages\":{messages},\"busy\":{busy:.3}}}",
            quoted(name),
            microseconds(observed.at.saturating_sub(*took)),
            microseconds(*took)
        ));
    }

    /// Writes a step in the life of a ring.
    fn step(&mut self, track: u32, step: &str, at: Duration) {
        let (step, at) = (quoted(step), microseconds(at));
        self.event(&format!("\"ph\":\"i\",\"s\":\"t\",\"tid\":{track},\"cat\":\"step\",\"name\":{step},\"ts\":{at}"));
    }

    fn track(&mut self, number: u32, name: &str) {
        self.event(&format!(
            "\"ph\":\"M\",\"tid\":{number},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}",
            quoted(name)
        ));
    }

    fn counter(&mut self, name: &str, at: Duration, value: u64) {
        self.event(&format!(
            "\"ph\":\"C\",\"name\":\"{name}\",\"ts\":{},\"args\":{{\"bytes\":{value}}}",
            microseconds(at)
        ));
    }

    fn instant(&mut self, name: &str, at: Duration, thread: u32, bytes: u64) {
        let track = self.host(thread);
        self.event(&format!(
            "\"ph\":\"i\",\"s\":\"t\",\"tid\":{track},\"cat\":\"transfer\",\"name\":\"{name}\",\"ts\":{},\
             \"args\":{{\"bytes\":{bytes}}}",
            microseconds(at)
        ));
    }

    /// Writes the arrow from a submission to its first kernel.
    fn arrow(&mut self, at: Duration, thread: u32, kernel: &Span) {
        let arrow = format!("\"cat\":\"flow\",\"name\":\"submission\",\"id\":{}", kernel.submission);
        let (from, to) = (self.host(thread), STREAMS + kernel.stream);
        self.event(&format!("\"ph\":\"s\",\"tid\":{from},{arrow},\"ts\":{}", microseconds(at)));
        let at = microseconds(kernel.start);
        self.event(&format!("\"ph\":\"f\",\"bp\":\"e\",\"tid\":{to},{arrow},\"ts\":{at}"));
    }
}

impl Profile {
    /// The timeline as a trace: save it as a `.json` file, and open that with <https://ui.perfetto.dev>.
    ///
    /// Each stream is a track with its kernels, copies and fills, and each thread of the host is one with its scopes,
    /// compilations, submissions, waits and transfers, nested. Each ring is a track with the times in which it had
    /// messages, and the steps of its life. Arrows lead from submissions to their first kernels.
    /// Counters show the bytes of all buffers, and those of transfers that were recorded and have not ended. The member
    /// `otherData` has the whole time and its division as in [`idle`](Self::idle), in microseconds.
    #[must_use]
    pub fn trace(&self) -> String {
        let text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[".to_owned();
        let mut writer = Writer { text, thread: self.thread };
        self.tracks(&mut writer);
        self.spans.iter().filter(|span| span.kind != SpanKind::Ring).for_each(|span| writer.span(span));
        self.ring_events(&mut writer);
        // The earliest kernel of each submission, as spans are in the order of their starts.
        let mut first: HashMap<u64, &Span> = HashMap::new();
        self.of_kind(SpanKind::Kernel).for_each(|span| _ = first.entry(span.submission).or_insert(span));
        for observed in &self.events {
            let (at, thread) = (observed.at, observed.thread);
            match &observed.event {
                Event::Allocation { live, .. } | Event::Free { live, .. } => writer.counter("buffers", at, *live),
                Event::Upload { bytes } => writer.instant("upload", at, thread, *bytes),
                Event::Download { bytes } => writer.instant("download", at, thread, *bytes),
                Event::Submission { number, .. } => {
                    if let Some(kernel) = first.get(number) {
                        writer.arrow(at, thread, kernel);
                    }
                }
                _ => {}
            }
        }
        for (at, bytes) in self.in_flight() {
            writer.counter("bytes in flight", at, bytes);
        }
        let idle = self.idle();
        let _ = write!(
            writer.text,
            "\n],\"otherData\":{{\"producer\":\"anywarp\",\"duration_us\":{},\"busy_us\":{},\"compiling_us\":{},\
             \"transfer_us\":{},\"host_us\":{},\"other_us\":{},\"uncertainty_us\":{},\"dropped\":{}}}}}\n",
            microseconds(self.duration()),
            microseconds(idle.busy),
            microseconds(idle.compiling),
            microseconds(idle.transfer),
            microseconds(idle.host),
            microseconds(idle.other),
            microseconds(self.uncertainty),
            self.dropped
        );
        writer.text
    }

    /// Writes the tracks of rings.
    fn ring_events(&self, writer: &mut Writer) {
        for (track, row) in (RINGS..).zip(self.rings()) {
            writer.track(track, &row.label);
            row.steps.iter().for_each(|(at, step)| writer.step(track, step, *at));
            let is_own =
                |observed: &&Observed| matches!(&observed.event, Event::Activity { name, .. } if *name == row.label);
            self.events.iter().filter(is_own).for_each(|observed| writer.activity(track, observed));
        }
    }

    /// Names the tracks.
    fn tracks(&self, writer: &mut Writer) {
        writer.track(HOST, "host");
        let threads: BTreeSet<u32> = self.events.iter().map(|observed| observed.thread).collect();
        for thread in threads.into_iter().filter(|thread| *thread != self.thread) {
            writer.track(writer.host(thread), &format!("thread {thread}"));
        }
        let streams: BTreeSet<u32> =
            self.spans.iter().filter(|span| span.kind.is_on_device()).map(|span| span.stream).collect();
        for stream in streams {
            writer.track(STREAMS + stream, &format!("stream {stream}"));
        }
    }

    /// The bytes of transfers that were recorded and whose submission was not yet noticed to have ended, whenever they
    /// change.
    fn in_flight(&self) -> Vec<(Duration, u64)> {
        let (mut recorded, mut sum) = (0, 0);
        let mut submitted: BTreeMap<u64, u64> = BTreeMap::new();
        let mut changes = Vec::new();
        for observed in &self.events {
            match &observed.event {
                Event::Upload { bytes } | Event::Download { bytes } => {
                    recorded += bytes;
                    sum += bytes;
                }
                // A transfer belongs to the next submission, as both hold the lock of the pending commands.
                Event::Submission { number, .. } => {
                    submitted.insert(*number, std::mem::take(&mut recorded));
                    continue;
                }
                Event::Ended { number } => match submitted.remove(number) {
                    Some(bytes) if bytes > 0 => sum -= bytes,
                    _ => continue,
                },
                _ => continue,
            }
            changes.push((observed.at, sum));
        }
        changes
    }
}

fn microseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e6)
}

/// A string of JSON.
pub(in crate::insight) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if u32::from(control) < 32 => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
