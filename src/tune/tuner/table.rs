//! The table of candidates with their measurements.

use std::fmt;
use std::time::Duration;

use crate::tune::inside::Inside;
use crate::tune::{Dropped, Ended, Goal, Record, State};

/// The measurements of one candidate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The values with their names: `TILE=16 WG=128`.
    pub values: String,
    /// The place of the candidate in [`Space::candidates`](crate::tune::Space::candidates); 0 is the default.
    pub candidate: usize,
    /// The median of its times; `None` for a candidate that was not measured.
    pub time: Option<Duration>,
    /// The median of the energy of a run, in joules, in place of the time: see [`Goal::Energy`](crate::tune::Goal::Energy).
    pub energy: Option<f64>,
    /// The median of the steps of the program with it; `None` if it was not measured so: see
    /// [`Tuner::inside`](crate::tune::Tuner::inside).
    pub inside: Option<Duration>,
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

/// The rows of all candidates by their costs, the winner first. `results` returns the time, the number of rounds and the reason why a
/// candidate was dropped.
pub(in crate::tune) fn rows(
    candidates: &[String],
    winner: usize,
    goal: Goal,
    results: impl Fn(usize) -> (Option<Duration>, usize, Option<Dropped>),
) -> Vec<Row> {
    let row = |candidate: usize| {
        let (time, rounds, dropped) = results(candidate);
        Row { values: candidates[candidate].clone(), candidate, time, energy: None, inside: None, rounds, dropped }
    };
    let mut rows: Vec<Row> = (0..candidates.len()).map(row).collect();
    // Those that were compared with the winner longest come first.
    rows.sort_by_key(|row| {
        let out = row.dropped.is_some();
        (row.candidate != winner, out, row.time.is_none(), usize::MAX - row.rounds, row.time, row.candidate)
    });
    if goal == Goal::Energy {
        // The search compares joules as if they were seconds.
        rows.iter_mut().for_each(|row| row.energy = row.time.take().map(|joules| joules.as_secs_f64()));
    }
    rows
}

/// The cost, the number of rounds, and the reason for leaving the search, as a record keeps them.
pub(in crate::tune) fn kept(record: Option<&Record>) -> (Option<Duration>, usize, Option<Dropped>) {
    let Some(record) = record else { return (None, 0, None) };
    let dropped = match &record.state {
        State::Dropped(reason) => Some(Dropped::Earlier(reason.clone())),
        State::Best | State::Measured => None,
    };
    (record.cost(), record.rounds, dropped)
}

impl Row {
    /// The cost in the unit of its goal, with its text.
    fn cost(&self) -> Option<(f64, String)> {
        let of_time = self.time.map(|time| time.as_secs_f64()).map(|time| (time, format!("{:.1} µs", time * 1e6)));
        of_time.or_else(|| self.energy.map(|joules| (joules, format!("{:.3} mJ", joules * 1e3))))
    }
}

/// Adds the times inside the program, and puts its winner first; returns the candidate that is fastest alone.
pub(in crate::tune) fn decide_inside(rows: &mut [Row], inside: &Inside) -> String {
    let alone = rows.first().map(|row| row.values.clone()).unwrap_or_default();
    for row in rows.iter_mut() {
        row.inside = inside.time(row.candidate);
        row.dropped = row.dropped.take().or_else(|| inside.dropped(row.candidate));
    }
    // Stable, so that the others keep their order.
    rows.sort_by_key(|row| (row.candidate != inside.winner, row.inside.is_none(), row.inside, row.dropped.is_some()));
    alone
}

/// Writes the rows as a table, and the best values.
pub(in crate::tune) fn write(
    f: &mut fmt::Formatter<'_>,
    rows: &[Row],
    origin: Origin,
    alone: Option<&str>,
) -> fmt::Result {
    let width = rows.iter().map(|row| row.values.len()).max().unwrap_or(0);
    let default = rows.iter().find(|row| row.candidate == 0).and_then(Row::cost);
    for row in rows {
        write!(f, "{:width$}  ", row.values)?;
        match (row.cost(), &row.dropped) {
            (_, Some(dropped)) => write!(f, "{}", first_line(&dropped.to_string()))?,
            (None, None) => write!(f, "not tried")?,
            (Some((cost, text)), None) => {
                write!(f, "{text:>10}  {:>3} rounds", row.rounds)?;
                if let Some((default, _)) = default.as_ref().filter(|_| cost > 0.0) {
                    write!(f, "  {:.2}x", default / cost)?;
                }
                if let Some(inside) = row.inside {
                    write!(f, "  {:>10} inside", format!("{:.1} µs", inside.as_secs_f64() * 1e6))?;
                }
            }
        }
        writeln!(f, "{}", if row.candidate == 0 { "  (default)" } else { "" })?;
    }
    let best = rows.first().map_or("", |row| &row.values);
    if let Some(alone) = alone.filter(|alone| *alone != best) {
        writeln!(f, "fastest alone: {alone}; inside the program another one is")?;
    }
    match origin {
        Origin::Measured(ended) => writeln!(f, "best: {best}; {ended}"),
        Origin::Kept => writeln!(f, "best: {best}; kept from an earlier search"),
        Origin::Default => writeln!(f, "default: {best}; nothing was kept or measured"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
