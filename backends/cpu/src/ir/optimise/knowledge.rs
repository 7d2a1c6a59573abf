//! What variables are known to hold at a point of the program.
//!
//! Every change is noted in a journal, so that what was known before a list can be restored
//! after it, and what the list changed can be forgotten.

use crate::ir::{Value, Var};

#[derive(Clone, Copy, Debug)]
struct Known {
    value: Value,
    constant: bool,
    /// Facts of an earlier era are forgotten.
    era: u32,
    /// Facts of an earlier section are forgotten, unless they are constants.
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
    /// Nothing is known of any of the variables.
    pub(super) fn of_nothing(vars: usize) -> Self {
        Self { known: vec![None; vars], ..Self::default() }
    }

    /// The value that a variable holds and that can be used here.
    pub(super) fn get(&self, var: Var) -> Option<Value> {
        let known = self.known[var.0 as usize]?;
        (known.era == self.era && (known.constant || known.section == self.section)).then_some(known.value)
    }

    /// From here on the variable holds this value.
    pub(super) fn set(&mut self, var: Var, value: Value, constant: bool) {
        let known = Known { value, constant, era: self.era, section: self.section };
        let old = self.known[var.0 as usize].replace(known);
        self.journal.push((var, old));
    }

    /// From here on the variable holds anything.
    pub(super) fn forget(&mut self, var: Var) {
        let old = self.known[var.0 as usize].take();
        self.journal.push((var, old));
    }

    /// Forgets everything.
    pub(super) fn forget_all(&mut self) {
        self.era += 1;
    }

    /// Forgets all but the constants: at barriers, where a value in use must be saved, as its
    /// variable may have to be too.
    pub(super) fn pass_barrier(&mut self) {
        self.section += 1;
    }

    /// The current point.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Back to what was known at a mark. What was touched since stays noted.
    pub(super) fn restore(&mut self, mark: Mark) {
        for (var, old) in self.journal[mark.0..].iter().rev() {
            self.known[var.0 as usize] = *old;
        }
    }

    /// Forgets what was touched between two marks.
    pub(super) fn forget_between(&mut self, from: Mark, to: Mark) {
        for (var, _) in &self.journal[from.0..to.0] {
            self.known[var.0 as usize] = None;
        }
    }
}
