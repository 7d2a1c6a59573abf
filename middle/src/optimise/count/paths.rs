//! Paths that may or may not run: loops and cases that remain after unrolling, and contents of variables where paths
//! join.

use anywarp_backend::statements;
use naga::{Block, Literal, Statement, SwitchCase};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Run, Unknown};
use crate::optimise::memory::Target;
use crate::optimise::text;

impl Run<'_, '_> {
    /// Executes the body of a loop that is not unrolled. Each `break` and `continue` in it belongs to that loop.
    pub(super) fn in_loop(&mut self, block: &Block) -> Result<(), Unknown> {
        self.own(block, true)
    }

    /// Executes all cases of a `switch`. A `break` belongs to the `switch`. A `continue` makes the execution unknown,
    /// unless `continues` is true.
    pub(super) fn switch(
        &mut self,
        statement: &Statement,
        cases: &[SwitchCase],
        continues: bool,
    ) -> Result<(), Unknown> {
        self.spend(1)?;
        self.text += text::of_statement(self.rewriter, statement);
        let before = self.vars.clone();
        let mut after = Vec::new();
        for case in cases {
            self.vars.clone_from(&before);
            self.own(&case.body, continues)?;
            after.push(std::mem::take(&mut self.vars));
        }
        self.vars.clone_from(&before);
        self.merge(&after);
        Ok(())
    }

    /// Executes the statements of a loop or of a case. Each `break` in them leaves that loop or the `switch`; each
    /// `continue` belongs to an executed loop if `continues` is true.
    fn own(&mut self, block: &Block, continues: bool) -> Result<(), Unknown> {
        for statement in block {
            match statement {
                Statement::Break => return Ok(()),
                Statement::Continue if continues => return Ok(()),
                Statement::Block(inner) => self.own(inner, continues)?,
                Statement::If { accept, reject, .. } => {
                    self.spend(1)?;
                    self.text += text::OF_A_BRANCH;
                    let before = self.vars.clone();
                    self.own(accept, continues)?;
                    let after = std::mem::replace(&mut self.vars, before.clone());
                    self.own(reject, continues)?;
                    self.merge(&[after]);
                }
                Statement::Switch { cases, .. } => self.switch(statement, cases, continues)?,
                _ => {
                    self.statement(statement, true)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets the contents of those variables whose contents differ between the current path and `others`.
    pub(super) fn merge(&mut self, others: &[FxHashMap<usize, Option<Literal>>]) {
        let mut keys: FxHashSet<usize> = self.vars.keys().copied().collect();
        keys.extend(others.iter().flat_map(|other| other.keys().copied()));
        for key in keys {
            let here = self.vars.get(&key).copied();
            if others.iter().any(|other| other.get(&key).copied() != here) {
                self.vars.insert(key, None);
            }
        }
    }

    pub(super) fn forget_written(&mut self, block: &Block) {
        for (statement, _) in statements(block) {
            let Statement::Store { pointer, .. } = statement else { continue };
            match self.rewriter.target(*pointer) {
                Target::Local(local, _) => {
                    self.vars.insert(local.index(), None);
                }
                Target::Part(first, count) => {
                    for local in &self.rewriter.leaves[first..first + count] {
                        self.vars.insert(local.index(), None);
                    }
                }
                Target::Other => {}
            }
        }
    }
}
