//! Sums over a timeline: the kernels, and the time in which the device had nothing to do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::{Profile, Span, SpanKind};
use crate::submit::{Event, Observed};

/// The order of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The longest total first.
    #[default]
    Total,
    /// The longest mean first.
    Mean,
    /// The most calls first.
    Count,
    /// By name.
    Label,
}

/// The sums of all runs of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the kernel.
    pub label: Arc<str>,
    /// The number of runs.
    pub count: usize,
    /// The sum of their times.
    pub total: Duration,
    /// The shortest.
    pub least: Duration,
    /// The longest.
    pub most: Duration,
    /// The share of the times of all kernels, from 0 to 1.
    pub share: f64,
}

impl Row {
    /// The mean time of a run.
    #[must_use]
    pub fn mean(&self) -> Duration {
        mean(self.total, self.count)
    }
}

/// The mean of `count` times; zero of none.
pub(super) fn mean(total: Duration, count: usize) -> Duration {
    total / u32::try_from(count.max(1)).unwrap_or(u32::MAX)
}

/// The time in which no kernel ran, by its cause. Each moment has one cause: the first that applies, in this order. A
/// resident kernel that waits for messages does not count as running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Kernels ran, at least one at a time, or a resident kernel had messages.
    pub busy: Duration,
    /// The host compiled kernels.
    pub compiling: Duration,
    /// Data was copied or filled: on the device, where it times these, or by the host into and out of buffers.
    pub transfer: Duration,
    /// All submitted kernels had ended: the host was late.
    pub host: Duration,
    /// Submitted work had not begun: starts of kernels, transfers that the device does not time, or other programs.
    pub other: Duration,
}

/// The parts of a timeline that explain why no kernel ran.
struct Gaps {
    compilations: Union,
    /// Compilations and transfers.
    explained: Union,
    /// The times of submissions, in order.
    submissions: Vec<Duration>,
    /// The start of the last kernel.
    last: Option<Duration>,
}

impl Gaps {
    fn of(profile: &Profile) -> Self {
        let is_submission = |observed: &&Observed| matches!(observed.event, Event::Submission { .. });
        let mut submissions: Vec<Duration> =
            profile.events.iter().filter(is_submission).map(|observed| observed.at).collect();
        submissions.sort_unstable();
        let is_transfer = |kind| matches!(kind, SpanKind::Copy | SpanKind::Fill | SpanKind::CopyIn | SpanKind::CopyOut);
        let explains = |span: &&Span| span.kind == SpanKind::Compile || is_transfer(span.kind);
        Self {
            compilations: Union::of(profile.of_kind(SpanKind::Compile)),
            explained: Union::of(profile.spans.iter().filter(explains)),
            submissions,
            last: profile.of_kind(SpanKind::Kernel).map(|span| span.start).max(),
        }
    }

    /// Divides a time in which no kernel ran, and that ended with `next`.
    fn attribute(&self, from: Duration, to: Duration, next: Option<SpanKind>, idle: &mut Idle) {
        let compiling = self.compilations.within(from, to);
        let explained = self.explained.within(from, to);
        // Until the next submission or message, the host is late; after the last one, nothing more was to come.
        let place = self.submissions.partition_point(|at| *at < from);
        let pending = self.submissions.get(place).copied().filter(|at| *at <= to);
        let has_next = next != Some(SpanKind::Ring) && self.last.is_some_and(|last| last >= to);
        let late_until = pending.or((!has_next).then_some(to)).unwrap_or(from);
        let late = (late_until - from).saturating_sub(self.explained.within(from, late_until));
        idle.compiling += compiling;
        idle.transfer += explained.saturating_sub(compiling);
        idle.host += late;
        idle.other += (to - from).saturating_sub(explained).saturating_sub(late);
    }
}

/// The times that spans cover, as intervals that neither touch nor overlap, in order.
struct Union(Vec<(Duration, Duration)>);

impl Union {
    /// The times of spans in the order of their starts.
    fn of<'a>(spans: impl Iterator<Item = &'a Span>) -> Self {
        let mut parts: Vec<(Duration, Duration)> = Vec::new();
        for span in spans {
            match parts.last_mut() {
                Some((_, end)) if span.start <= *end => *end = span.end.max(*end),
                _ => parts.push((span.start, span.end)),
            }
        }
        Self(parts)
    }

    /// The covered part of an interval.
    fn within(&self, from: Duration, to: Duration) -> Duration {
        let first = self.0.partition_point(|(_, end)| *end <= from);
        let parts = self.0[first..].iter().take_while(|(start, _)| *start < to);
        parts.map(|(start, end)| (*end).min(to).saturating_sub((*start).max(from))).sum()
    }
}

impl Profile {
    /// The kernels with their sums.
    #[must_use]
    pub fn table(&self, sort: Sort) -> Vec<Row> {
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for span in self.of_kind(SpanKind::Kernel) {
            let took = span.duration();
            let row = rows.entry(&span.label).or_insert_with(|| Row {
                label: Arc::clone(&span.label),
                count: 0,
                total: Duration::ZERO,
                least: took,
                most: took,
                share: 0.0,
            });
            row.count += 1;
            row.total += took;
            row.least = row.least.min(took);
            row.most = row.most.max(took);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        let all: f64 = rows.iter().map(|row| row.total.as_secs_f64()).sum();
        rows.iter_mut().for_each(|row| row.share = row.total.as_secs_f64() / all.max(f64::MIN_POSITIVE));
        match sort {
            Sort::Total => rows.sort_by_key(|row| std::cmp::Reverse(row.total)),
            Sort::Mean => rows.sort_by_key(|row| std::cmp::Reverse(row.mean())),
            Sort::Count => rows.sort_by_key(|row| std::cmp::Reverse(row.count)),
            Sort::Label => {}
        }
        rows
    }

    /// How the time of the work divides into that in which kernels ran, and idle time by its cause.
    #[must_use]
    pub fn idle(&self) -> Idle {
        let runs = |span: &&Span| matches!(span.kind, SpanKind::Kernel | SpanKind::Ring);
        let kernels: Vec<&Span> = self.spans.iter().filter(runs).collect();
        let gaps = Gaps::of(self);
        let mut idle = Idle::default();
        let mut at = self.range.0;
        for kernel in &kernels {
            if kernel.start > at {
                gaps.attribute(at, kernel.start, Some(kernel.kind), &mut idle);
            }
            idle.busy += kernel.end.min(self.range.1).saturating_sub(kernel.start.max(at));
            at = at.max(kernel.end);
        }
        if self.range.1 > at {
            gaps.attribute(at, self.range.1, None, &mut idle);
        }
        idle
    }

    /// The table as text: one line for each kernel, one for each ring, and the division of the time.
    #[must_use]
    pub fn text(&self, sort: Sort) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let mut text =
            format!("{:>8}  {:>11} {:>11} {:>11} {:>6}  kernel\n", "runs", "total ms", "mean ms", "most ms", "share");
        for row in self.table(sort) {
            // Writing to a string succeeds.
            let _ = writeln!(
                text,
                "{:>8}  {:>11.4} {:>11.4} {:>11.4} {:>5.1}%  {}",
                row.count,
                ms(row.total),
                ms(row.mean()),
                ms(row.most),
                row.share * 100.0,
                row.label
            );
        }
        text.push_str(&self.ring_lines());
        let Idle { busy, compiling, transfer, host, other } = self.idle();
        let _ = write!(
            text,
            "{:.3} ms in all: {:.3} ms kernels, {:.3} ms compiling, {:.3} ms copies, {:.3} ms the host was late, {:.3} ms \
             other; times of kernels are accurate to {:.3} ms",
            ms(self.duration()),
            ms(busy),
            ms(compiling),
            ms(transfer),
            ms(host),
            ms(other),
            ms(self.uncertainty)
        );
        text
    }
}
