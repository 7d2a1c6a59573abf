//! A timeline as JSON in the format of trace events, which Perfetto and Chrome's tracing show.
//!
//! The format: "Trace Event Format", Google, 2016. Times are in microseconds.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Profile, Span, SpanKind};
use crate::submit::Event;

/// The tracks: the host, its waits, and the streams from this number on.
const HOST: u32 = 1;
const WAITS: u32 = 2;
const STREAMS: u32 = 10;

struct Writer {
    text: String,
}

impl Writer {
    /// Writes one event from its members, without braces.
    fn event(&mut self, members: &str) {
        let comma = if self.text.ends_with('[') { "" } else { "," };
        // Writing to a string succeeds.
        let _ = write!(self.text, "{comma}\n{{\"pid\":1,{members}}}");
    }

    fn span(&mut self, span: &Span) {
        let (track, category) = match span.kind {
            SpanKind::Kernel => (STREAMS + span.stream, "kernel"),
            SpanKind::Compile => (HOST, "compile"),
            SpanKind::Wait => (WAITS, "wait"),
        };
        self.event(&format!(
            "\"ph\":\"X\",\"tid\":{track},\"cat\":\"{category}\",\"name\":{},\"ts\":{},\"dur\":{}",
            quoted(&span.label),
            microseconds(span.start),
            microseconds(span.duration())
        ));
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

    fn instant(&mut self, name: &str, at: Duration, bytes: u64) {
        self.event(&format!(
            "\"ph\":\"i\",\"s\":\"t\",\"tid\":{HOST},\"cat\":\"transfer\",\"name\":\"{name}\",\"ts\":{},\
             \"args\":{{\"bytes\":{bytes}}}",
            microseconds(at)
        ));
    }
}

impl Profile {
    /// The timeline as a trace: save it as a `.json` file, and open that with <https://ui.perfetto.dev>.
    ///
    /// Each stream is a track with its kernels, and the host has one for compilations, submissions and transfers and one
    /// for waits. Arrows lead from submissions to their first kernels. A counter shows the bytes of all buffers.
    #[must_use]
    pub fn trace(&self) -> String {
        let mut writer = Writer { text: "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[".to_owned() };
        writer.track(HOST, "host");
        writer.track(WAITS, "waits");
        let mut streams: Vec<u32> = self.of_kind(SpanKind::Kernel).map(|span| span.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        for stream in streams {
            writer.track(STREAMS + stream, &format!("stream {stream}"));
        }
        self.spans.iter().for_each(|span| writer.span(span));
        for observed in &self.events {
            let at = observed.at;
            match &observed.event {
                Event::Allocation { live, .. } | Event::Free { live, .. } => writer.counter("buffers", at, *live),
                Event::Upload { bytes } => writer.instant("upload", at, *bytes),
                Event::Download { bytes } => writer.instant("download", at, *bytes),
                Event::Submission { number, commands, .. } => self.submission(&mut writer, at, *number, *commands),
                _ => {}
            }
        }
        writer.text.push_str("\n]}\n");
        writer.text
    }

    /// Writes a submission, and the arrow to its first kernel.
    fn submission(&self, writer: &mut Writer, at: Duration, number: u64, commands: usize) {
        writer.event(&format!(
            "\"ph\":\"X\",\"tid\":{HOST},\"cat\":\"submission\",\"name\":\"submission {number}\",\"ts\":{},\"dur\":1,\
             \"args\":{{\"commands\":{commands}}}",
            microseconds(at)
        ));
        let Some(first) = self.of_kind(SpanKind::Kernel).find(|span| span.submission == number) else { return };
        let arrow = format!("\"cat\":\"flow\",\"name\":\"submission\",\"id\":{number}");
        writer.event(&format!("\"ph\":\"s\",\"tid\":{HOST},{arrow},\"ts\":{}", microseconds(at)));
        writer.event(&format!(
            "\"ph\":\"f\",\"bp\":\"e\",\"tid\":{},{arrow},\"ts\":{}",
            STREAMS + first.stream,
            microseconds(first.start)
        ));
    }
}

fn microseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e6)
}

/// A string of JSON.
fn quoted(text: &str) -> String {
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
