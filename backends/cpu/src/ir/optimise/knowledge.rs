//! The known values of variables at a point of the program.
//!
//! Every change is recorded in a journal, so that the facts from before a list can be restored after it, and facts that
//! the list changed can be dropped.

use crate::ir::{Value, Var};

#[derive(Clone, Copy, Debug)]
struct Known {
    value: Value,
    constant: bool,
    /// Facts of an earlier era are invalid.
    era: u32,
    /// Facts of an earlier section are invalid, unless they are constants.
    section: u32,
}

/// The facts at the current point.
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

    /// The value of a variable, if it can be used here.
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

    /// Drops all facts other than constants: at a barrier, a value in use must be saved, and possibly its variable too.
    pub(super) fn pass_barrier(&mut self) {
        self.section += 1;
    }

    /// The current point.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Restores the facts of a mark. Changes since then stay in the journal.
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
