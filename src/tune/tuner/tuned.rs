//! The result of tuning.

use std::fmt;

use super::Overrides;
use super::table::{self, Origin, Row};
use crate::kernel::Kernel;
use crate::tune::inside::Inside;

/// The best kernel, with the measurements of all candidates. It prints as a table.
#[derive(Clone, Debug)]
pub struct Tuned {
    kernel: Kernel,
    overrides: Overrides,
    rows: Vec<Row>,
    origin: Origin,
    alone: Option<String>,
}

impl Tuned {
    pub(super) fn new(kernel: Kernel, overrides: Overrides, rows: Vec<Row>, origin: Origin) -> Self {
        Self { kernel, overrides, rows, origin, alone: None }
    }

    pub(super) fn inside(mut self, inside: &Inside) -> Self {
        self.alone = Some(table::decide_inside(&mut self.rows, inside));
        self
    }

    /// The values that are fastest alone, after a comparison inside the program: see
    /// [`Tuner::inside`](crate::tune::Tuner::inside).
    #[must_use]
    pub fn alone(&self) -> Option<&str> {
        self.alone.as_deref()
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
        table::write(f, &self.rows, self.origin, self.alone())
    }
}
