//! The known values of variables at a point of the program.
//!
//! A journal records every change of this knowledge. After a list of statements, the facts from before the list can be
//! restored, and facts about variables that the list changes can be dropped.

use crate::ir::{Value, Var};

#[derive(Clone, Copy, Debug)]
struct Known {
    value: Value,
    constant: bool,
    /// The number of calls of `forget_all` before the fact was found; later calls make the fact invalid.
    era: u32,
    /// The number of barriers before the fact was found; a later barrier makes the fact invalid, unless the value is a
    /// constant.
    section: u32,
}

/// The known values of variables at the current point.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    known: Vec<Option<Known>>,
    journal: Vec<(Var, Option<Known>)>,
    era: u32,
    section: u32,
}

/// A position in the journal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Knowledge {
    /// Returns the state in which the value of every variable is unknown.
    pub(super) fn of_nothing(vars: usize) -> Self {
        Self { known: vec![None; vars], ..Self::default() }
    }

    /// The value of a variable, if it is known and can be used at the current point.
    pub(super) fn get(&self, var: Var) -> Option<Value> {
        let known = self.known[var.0 as usize]?;
        (known.era == self.era && (known.constant || known.section == self.section)).then_some(known.value)
    }

    /// Sets the value of the variable from here on.
    pub(super) fn set(&mut self, var: Var, value: Value, constant: bool) {
        let known = Known { value, constant, era: self.era, section: self.section };
        let old = self.known[var.0 as usize].replace(known);
        self.journal.push((var, old));
    }

    /// Drops the value of the variable from here on.
    pub(super) fn forget(&mut self, var: Var) {
        let old = self.known[var.0 as usize].take();
        self.journal.push((var, old));
    }

    /// Drops all facts.
    pub(super) fn forget_all(&mut self) {
        self.era += 1;
    }

    /// Drops all facts other than constants. Forwarding another value across the barrier would make the barrier save
    /// that value, possibly in addition to the variable.
    pub(super) fn pass_barrier(&mut self) {
        self.section += 1;
    }

    /// The current position in the journal.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Restores the facts that were known at a mark. The changes since the mark stay in the journal.
    pub(super) fn restore(&mut self, mark: Mark) {
        for (var, old) in self.journal[mark.0..].iter().rev() {
            self.known[var.0 as usize] = *old;
        }
    }

    /// Drops facts about variables that were changed between two marks.
    pub(super) fn forget_between(&mut self, from: Mark, to: Mark) {
        for (var, _) in &self.journal[from.0..to.0] {
            self.known[var.0 as usize] = None;
        }
    }
}
