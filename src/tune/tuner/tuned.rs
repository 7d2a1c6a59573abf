//! The result of tuning.

use std::fmt;
use std::time::Duration;

use super::Overrides;
use crate::kernel::Kernel;
use crate::tune::{Candidate, Dropped, Ended, Found, Space};

/// The best kernel, with the measurements of all candidates. It prints as a table.
#[derive(Clone, Debug)]
pub struct Tuned {
    kernel: Kernel,
    overrides: Overrides,
    rows: Vec<Row>,
    ended: Option<Ended>,
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

impl Tuned {
    pub(super) fn new(kernel: Kernel, space: &Space, candidates: &[Candidate], found: Found) -> Self {
        let row = |(at, trial): (usize, &crate::tune::Trial)| Row {
            values: space.describe(&candidates[at]),
            candidate: at,
            time: trial.median(),
            rounds: trial.times.len(),
            dropped: trial.dropped.clone(),
        };
        let mut rows: Vec<Row> = found.trials.iter().enumerate().map(row).collect();
        // The winner, then those that were compared with it longest.
        rows.sort_by_key(|row| {
            let out = row.dropped.is_some();
            (row.candidate != found.winner, out, row.time.is_none(), usize::MAX - row.rounds, row.time, row.candidate)
        });
        let overrides = Overrides::new(space, &candidates[found.winner]);
        Self { kernel, overrides, rows, ended: Some(found.ended) }
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

    /// The reason for the end of the search; `None` if the result was kept from an earlier one.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.ended
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
        match self.ended {
            Some(ended) => writeln!(f, "best: {}; {ended}", self.rows.first().map_or("", |row| &row.values)),
            None => writeln!(f, "best: {}", self.rows.first().map_or("", |row| &row.values)),
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
