//! The result of tuning.

use std::fmt;
use std::time::Duration;

use super::Overrides;
use crate::kernel::Kernel;
use crate::tune::{Candidate, Dropped, Ended, Space};

/// The best kernel, with the measurements of all candidates. It prints as a table.
#[derive(Clone, Debug)]
pub struct Tuned {
    kernel: Kernel,
    overrides: Overrides,
    rows: Vec<Row>,
    origin: Origin,
}

/// The measurements of one candidate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The values with their names: `TILE=16 WG=128`.
    pub values: String,
    /// The place of the candidate in [`Space::candidates`]; 0 is the default.
    pub candidate: usize,
    /// The median of its times; `None` for a candidate that was not measured.
    pub time: Option<Duration>,
    /// The number of its rounds.
    pub rounds: usize,
    /// The reason why it left the search.
    pub dropped: Option<Dropped>,
}

/// The origin of the values of a tuned kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The candidates were measured; the search ended for this reason.
    Measured(Ended),
    /// The values were kept from an earlier search.
    Kept,
    /// The kernel has its default values: nothing was kept, and the mode permits no measurement.
    Default,
}

/// The rows of all candidates, the winner first. `results` returns the time, the number of rounds and the reason why a
/// candidate was dropped.
pub(super) fn rows(
    space: &Space,
    candidates: &[Candidate],
    winner: usize,
    results: impl Fn(usize) -> (Option<Duration>, usize, Option<Dropped>),
) -> Vec<Row> {
    let row = |candidate: usize| {
        let (time, rounds, dropped) = results(candidate);
        Row { values: space.describe(&candidates[candidate]), candidate, time, rounds, dropped }
    };
    let mut rows: Vec<Row> = (0..candidates.len()).map(row).collect();
    // Those that were compared with the winner longest come first.
    rows.sort_by_key(|row| {
        let out = row.dropped.is_some();
        (row.candidate != winner, out, row.time.is_none(), usize::MAX - row.rounds, row.time, row.candidate)
    });
    rows
}

impl Tuned {
    pub(super) fn new(kernel: Kernel, overrides: Overrides, rows: Vec<Row>, origin: Origin) -> Self {
        Self { kernel, overrides, rows, origin }
    }

    /// The compiled kernel with the best values.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The best values.
    #[must_use]
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// All candidates: the best one first, then those with the most rounds, the fastest first, then those that were
    /// left out or not tried.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether the values were measured, kept, or are the default.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
        let default = self.rows.iter().find(|row| row.candidate == 0).and_then(|row| row.time);
        for row in &self.rows {
            write!(f, "{:width$}  ", row.values)?;
            match (row.time, &row.dropped) {
                (_, Some(dropped)) => write!(f, "{}", first_line(&dropped.to_string()))?,
                (None, None) => write!(f, "not tried")?,
                (Some(time), None) => {
                    write!(f, "{:>10}  {:>3} rounds", format!("{:.1} µs", time.as_secs_f64() * 1e6), row.rounds)?;
                    if let Some(default) = default.filter(|_| !time.is_zero()) {
                        write!(f, "  {:.2}x", default.as_secs_f64() / time.as_secs_f64())?;
                    }
                }
            }
            writeln!(f, "{}", if row.candidate == 0 { "  (default)" } else { "" })?;
        }
        let best = self.rows.first().map_or("", |row| &row.values);
        match self.origin {
            Origin::Measured(ended) => writeln!(f, "best: {best}; {ended}"),
            Origin::Kept => writeln!(f, "best: {best}; kept from an earlier search"),
            Origin::Default => writeln!(f, "default: {best}; nothing was kept or measured"),
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
