//! The results of tuning the operators of a call.

use std::fmt;

use crate::ops::Decision;
use crate::tune::inside::Inside;
use crate::tune::tuner::table;
use crate::tune::{Found, Goal, Origin, Record, Row};

/// The tuned operators of a call. It prints as a table for each.
#[derive(Clone, Debug)]
pub struct TunedCall {
    operators: Vec<TunedOperator>,
}

impl TunedCall {
    pub(super) fn new(operators: Vec<TunedOperator>) -> Self {
        Self { operators }
    }

    /// The operators, in the order in which the call runs them.
    #[must_use]
    pub fn operators(&self) -> &[TunedOperator] {
        &self.operators
    }
}

/// One tuned operator, with the measurements of all of its candidates.
#[derive(Clone, Debug)]
pub struct TunedOperator {
    operator: String,
    sizes: String,
    exact: bool,
    rows: Vec<Row>,
    origin: Origin,
    alone: Option<String>,
}

impl TunedOperator {
    fn new(decision: &Decision, rows: Vec<Row>, origin: Origin) -> Self {
        let Decision { operator, sizes, exact, .. } = decision;
        Self { operator: operator.clone(), sizes: sizes.clone(), exact: *exact, rows, origin, alone: None }
    }

    pub(super) fn measured(decision: &Decision, found: &Found, goal: Goal) -> Self {
        let rows = table::rows(&decision.candidates, found.winner, goal, |at| {
            let trial = &found.trials[at];
            (trial.median(), trial.times.len(), trial.dropped.clone())
        });
        Self::new(decision, rows, Origin::Measured(found.ended))
    }

    pub(super) fn kept(decision: &Decision, best: &Record, all: &[Record]) -> Self {
        let winner = decision.candidates.iter().position(|candidate| *candidate == best.values).unwrap_or(0);
        let kept = |at: usize| table::kept(all.iter().find(|record| record.values == decision.candidates[at]));
        let rows = table::rows(&decision.candidates, winner, Goal::of(all), kept);
        Self::new(decision, rows, Origin::Kept)
    }

    /// An operator that keeps what it would run.
    pub(super) fn untouched(decision: &Decision) -> Self {
        let chosen = decision.candidates.iter().position(|candidate| *candidate == decision.chosen).unwrap_or(0);
        Self::new(decision, table::rows(&decision.candidates, chosen, Goal::Time, |_| (None, 0, None)), Origin::Default)
    }

    pub(super) fn inside(&mut self, inside: &Inside) {
        self.alone = Some(table::decide_inside(&mut self.rows, inside));
    }

    /// The candidate that is fastest alone, after a comparison inside the program.
    #[must_use]
    pub fn alone(&self) -> Option<&str> {
        self.alone.as_deref()
    }

    /// The operator, with the properties of the call on which its choice depends: `matmul f16 aligned`.
    #[must_use]
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// The sizes for which the result holds, each rounded up to a power of two: `4096x4096x64`.
    #[must_use]
    pub fn sizes(&self) -> &str {
        &self.sizes
    }

    /// The candidate that the operator runs from now on.
    #[must_use]
    pub fn chosen(&self) -> &str {
        self.rows.first().map_or("", |row| &row.values)
    }

    /// Whether all candidates give the same bits.
    #[must_use]
    pub fn exact(&self) -> bool {
        self.exact
    }

    /// All candidates, the best one first; see [`Tuned::rows`](crate::tune::Tuned::rows).
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The measurements of the default.
    #[must_use]
    pub fn default_row(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.candidate == 0)
    }

    /// Whether the candidates were measured, kept, or not tried.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }
}

impl fmt::Display for TunedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operator in &self.operators {
            writeln!(f, "{} {}", operator.operator, operator.sizes)?;
            table::write(f, &operator.rows, operator.origin, operator.alone())?;
        }
        Ok(())
    }
}
