//! The execution of statements on a path that is known to run.

use naga::{Block, Expression, Handle, Literal, Statement};

use super::{Flow, Run, Unknown};
use crate::optimise::memory::{Memory, Target};
use crate::optimise::text;

impl Run<'_, '_> {
    /// Executes statements. `within` is true in a branch or loop that may not run: a `break` in such a block makes the
    /// execution unknown.
    pub(super) fn list(&mut self, block: &Block, within: bool) -> Result<Flow, Unknown> {
        for statement in block {
            let flow = self.statement(statement, within)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    pub(super) fn statement(&mut self, statement: &Statement, within: bool) -> Result<Flow, Unknown> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.spend(0)?;
                    self.evaluate(handle);
                }
                // The expressions have added to the cost, so its limit is checked here.
                self.spend(0)?;
            }
            Statement::Block(inner) => return self.list(inner, within),
            Statement::If { condition, accept, reject } => return self.branch(*condition, accept, reject, within),
            Statement::Switch { cases, .. } => self.switch(statement, cases, false)?,
            Statement::Loop { body, continuing, break_if } => {
                let address = crate::rebuild::prune::address(statement);
                self.inner(address, body, continuing, *break_if)?;
            }
            Statement::Break => return if within { Err(Unknown) } else { Ok(Flow::Break) },
            Statement::Continue => return Err(Unknown),
            Statement::Return { .. } | Statement::Kill => {
                self.spend(1)?;
                self.text += 1;
                return Ok(Flow::Never);
            }
            Statement::Store { pointer, value } => self.store(*pointer, *value, within)?,
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                self.barrier = true;
                self.text += 1;
                self.spend(1)?;
            }
            _ => {
                if let Some(result) = crate::rebuild::operands::statement_result(statement) {
                    self.values.set(result, None, false, 0);
                }
                self.text += text::of_statement(self.rewriter, statement);
                self.spend(if Memory::changes(statement) { 8 } else { 4 })?;
            }
        }
        Ok(Flow::On)
    }

    fn branch(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
        within: bool,
    ) -> Result<Flow, Unknown> {
        if let Some(Literal::Bool(known)) = self.literal(condition) {
            // The test that ends the loop disappears in every unrolled loop, so this test does not count as a gain.
            let ends = [accept, reject].iter().any(|side| matches!(side.last(), Some(Statement::Break)));
            self.gains.any |= !ends && self.values.varies(condition);
            return self.list(if known { accept } else { reject }, within);
        }
        self.spend(1)?;
        self.text += text::OF_A_BRANCH;
        let before = self.vars.clone();
        let accepted = self.list(accept, true)?;
        let after_accept = std::mem::replace(&mut self.vars, before.clone());
        let rejected = self.list(reject, true)?;
        match (accepted, rejected) {
            (Flow::On, Flow::On) => self.merge(&[after_accept]),
            (Flow::On, _) => self.vars = after_accept,
            (_, Flow::On) => {}
            _ => return Ok(Flow::Never),
        }
        Ok(Flow::On)
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, within: bool) -> Result<(), Unknown> {
        self.spend(1)?;
        let target = self.rewriter.target(pointer);
        let kept = within || !self.is_forwarded(target);
        self.text += if kept { text::of_access(self.rewriter, pointer) } else { 0 };
        match target {
            Target::Local(local, whole) => {
                let constant = self.rewriter.constant(value).is_some();
                let mask = self.values.mask(value) | if constant { 0 } else { self.bit() };
                let value = if whole { self.literal(value) } else { None };
                self.vars.insert(local.index(), value);
                self.masks.insert(local.index(), mask);
            }
            Target::Part(first, count) => {
                for local in &self.rewriter.leaves[first..first + count] {
                    self.vars.insert(local.index(), None);
                }
            }
            Target::Other => {}
        }
        Ok(())
    }

    /// Executes an inner loop: iteration by iteration if the limits on cost and effort allow that, otherwise as a loop
    /// that is not unrolled.
    fn inner(
        &mut self,
        address: usize,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<(), Unknown> {
        if !self.rolled.contains(&address) {
            let (before, cost, text, gains) = (self.vars.clone(), self.cost, self.text, self.gains.clone());
            self.level += 1;
            let trips = self.repeat(body, continuing, break_if);
            self.level -= 1;
            if trips.is_some() {
                return Ok(());
            }
            self.rolled.insert(address);
            self.vars = before;
            (self.cost, self.text) = (cost, text);
            self.gains = gains;
            self.spend(0)?;
        }
        self.forget_written(body);
        self.forget_written(continuing);
        let before = self.vars.clone();
        self.in_loop(body)?;
        self.vars.clone_from(&before);
        self.in_loop(continuing)?;
        self.vars = before;
        self.text += text::OF_A_LOOP;
        self.spend(2)
    }
}
