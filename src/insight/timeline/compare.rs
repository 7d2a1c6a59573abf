//! The comparison of two timelines, before and after a change of a program.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::summary::{Sum, Summary};
use super::table::mean;
use super::{Idle, SpanKind};

/// A value before and after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair<T> {
    /// The value of the base.
    pub before: T,
    /// The value of the timeline that is compared with the base.
    pub after: T,
}

impl<T> Pair<T> {
    fn map<U>(self, of: impl Fn(T) -> U) -> Pair<U> {
        Pair { before: of(self.before), after: of(self.after) }
    }

    fn side(&mut self, is_after: bool) -> &mut T {
        if is_after { &mut self.after } else { &mut self.before }
    }
}

impl Pair<Duration> {
    /// The time after minus that before, in seconds: negative if it became shorter.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.after.as_secs_f64() - self.before.as_secs_f64()
    }
}

/// The spans of one kind and one name in both timelines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The kind.
    pub kind: SpanKind,
    /// The name of the kernel or of the scope; the name of the kind for other spans.
    pub label: Arc<str>,
    /// The numbers of spans; 0 where there are none.
    pub count: Pair<usize>,
    /// The sums of their times.
    pub total: Pair<Duration>,
}

impl Compared {
    /// The mean times of a span; zero where there is none.
    #[must_use]
    pub fn mean(&self) -> Pair<Duration> {
        Pair { before: mean(self.total.before, self.count.before), after: mean(self.total.after, self.count.after) }
    }
}

/// The differences between two timelines: [`Profile::compare`](super::Profile::compare).
///
/// It prints as a table of at most 80 columns; the front of long names is left out there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The spans by kind and name, the greatest differences of totals first.
    pub rows: Vec<Compared>,
    /// The times of the whole work.
    pub duration: Pair<Duration>,
    /// Their divisions.
    pub idle: Pair<Idle>,
    /// The numbers of events that were lost because there were too many: the totals lack these.
    pub dropped: Pair<u64>,
}

impl Comparison {
    /// The comparison of `after` with `before`.
    pub(super) fn between(before: &Summary, after: &Summary) -> Self {
        let mut rows: BTreeMap<(SpanKind, &str), Compared> = BTreeMap::new();
        for (sums, is_after) in [(&before.sums, false), (&after.sums, true)] {
            for Sum { kind, label, count, total } in sums {
                let row = rows.entry((*kind, label)).or_insert_with(|| Compared {
                    kind: *kind,
                    label: Arc::clone(label),
                    count: Pair::default(),
                    total: Pair::default(),
                });
                *row.count.side(is_after) += count;
                *row.total.side(is_after) += *total;
            }
        }
        let mut rows: Vec<Compared> = rows.into_values().collect();
        // The order of kinds and names stays where differences are equal.
        rows.sort_by_key(|row| Reverse(row.total.before.abs_diff(row.total.after)));
        Self {
            rows,
            duration: Pair { before: before.duration, after: after.duration },
            idle: Pair { before: before.idle, after: after.idle },
            dropped: Pair { before: before.dropped, after: after.dropped },
        }
    }
}

/// The columns of a line.
const COLUMNS: usize = 80;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:^17} {:>9}  {:^15}  {:^11}", "total ms", "", "mean us", "number")?;
        let [before, after] = ["before", "after"];
        writeln!(f, "{before:>8} {after:>8} {:>9}  {before:>7} {after:>7} {before:>6} {after:>5}  of", "change")?;
        for row in &self.rows {
            let mean = row.mean().map(|mean| number(mean.as_secs_f64() * 1e6, 7));
            let numbers = format!(
                "{}  {:>7} {:>7}  {:>5} {:>5}  ",
                totals(row.total),
                mean.before,
                mean.after,
                row.count.before,
                row.count.after
            );
            let name = match row.kind {
                SpanKind::Kernel => row.label.to_string(),
                kind if *row.label == *kind.name() => row.label.to_string(),
                kind => format!("{} {}", kind.name(), row.label),
            };
            writeln!(f, "{numbers}{}", end_of(&name, COLUMNS.saturating_sub(numbers.len())))?;
        }
        let part = |name: &str, of: fn(Idle) -> Duration| format!("{}  {name}\n", totals(self.idle.map(of)));
        f.write_str(&part("kernels ran", |idle| idle.busy))?;
        f.write_str(&part("no kernel: compiling", |idle| idle.compiling))?;
        f.write_str(&part("no kernel: copies and fills", |idle| idle.transfer))?;
        f.write_str(&part("no kernel: the host was late", |idle| idle.host))?;
        f.write_str(&part("no kernel: other causes", |idle| idle.other))?;
        write!(f, "{}  the whole time", totals(self.duration))?;
        let Pair { before, after } = self.dropped;
        if before + after > 0 {
            write!(f, "\nevents were lost, {before} before and {after} after: totals and numbers lack these")?;
        }
        Ok(())
    }
}

/// Times before and after in milliseconds, and their difference, in 27 columns.
fn totals(total: Pair<Duration>) -> String {
    let ms = total.map(|total| number(total.as_secs_f64() * 1e3, 8));
    let difference = total.difference() * 1e3;
    let sign = if difference < 0.0 { '-' } else { '+' };
    format!("{:>8} {:>8} {:>9}", ms.before, ms.after, format!("{sign}{}", number(difference.abs(), 8)))
}

/// A number with up to four decimals, as many as fit.
fn number(value: f64, width: usize) -> String {
    let text = |decimals: usize| format!("{value:.decimals$}");
    (1..=4).rev().map(text).find(|text| text.len() <= width).unwrap_or_else(|| text(0))
}

/// The last `most` characters of a name, with a sign where its front is left out.
pub(in crate::insight) fn end_of(name: &str, most: usize) -> Cow<'_, str> {
    let length = name.chars().count();
    if length <= most {
        return name.into();
    }
    let end: String = name.chars().skip(length + 1 - most.max(1)).collect();
    format!("…{end}").into()
}
