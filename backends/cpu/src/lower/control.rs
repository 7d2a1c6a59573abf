//! Branches and loops.

use naga::{Block, Expression, Handle, Statement, SwitchCase, SwitchValue};

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::value::{Collected, Data};
use crate::ir::{BinaryOp, CheckKind, CompareOp, Label, List, Stmt, Value};

/// The largest number of cases for which a switch becomes nested branches instead of a sequence of branches.
const MAX_NESTED_CASES: usize = 16;

/// Cases of a switch that share one body.
struct Arm<'a> {
    values: Vec<u32>,
    is_default: bool,
    body: &'a Block,
}

impl<'a> Lowering<'a> {
    /// Lowers a block to a list of its own.
    pub(super) fn list(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<List> {
        self.b.open();
        self.block(frame, block)?;
        Ok(self.b.close())
    }

    pub(super) fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Result<()> {
        let here = self.here;
        let condition = self.scalar(frame, condition)?;
        let accept = self.list(frame, accept)?;
        let reject = self.list(frame, reject)?;
        self.here = here;
        self.report(CheckKind::Branch, "", vec![condition]);
        self.b.push(Stmt::If { condition, accept, reject });
        Ok(())
    }

    /// Lowers a loop. If the loop has a `continue`, the loop's body is a block that `continue` leaves.
    pub(super) fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        let site = self.site(self.here, "");
        let turns = frame.turns.get(&std::ptr::from_ref(body)).copied();
        self.report(CheckKind::Loop, "", Vec::new());
        let label = self.b.label();
        frame.breaks.push(label);
        self.b.open();
        self.report(CheckKind::Iteration, "", Vec::new());
        if continues(body) {
            self.repeat_with_continue(frame, body, continuing, break_if, label)?;
        } else {
            frame.continues.push(label);
            let outer = frame.collected.take();
            self.nest(|lowering| {
                // The body and `continuing` are one list, so that `continuing` can use values of the body.
                lowering.block(frame, body)?;
                lowering.rest_of_loop(frame, continuing, break_if, label)
            })?;
            frame.collected = outer;
            frame.continues.pop();
        }
        let list = self.b.close();
        frame.breaks.pop();
        self.b.push(Stmt::Block { label, body: vec![Stmt::Loop { body: list, site, turns }] });
        Ok(())
    }

    fn repeat_with_continue(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        done: Label,
    ) -> Result<()> {
        let label = self.b.label();
        frame.continues.push(label);
        let collected = Collected { depth: frame.depth + 1, saved: Vec::new() };
        let outer = frame.collected.replace(collected);
        let mut list = self.list(frame, body)?;
        let saved = std::mem::replace(&mut frame.collected, outer).map_or_else(Vec::new, |inner| inner.saved);
        frame.continues.pop();
        drop_exit(&mut list, label);

        for (handle, saved) in &saved {
            frame.values[handle.index()] = Some(Data::Saved(std::rc::Rc::clone(saved)));
        }
        self.b.open();
        let outer = frame.collected.take();
        self.nest(|lowering| lowering.rest_of_loop(frame, continuing, break_if, done))?;
        frame.collected = outer;
        let rest = self.b.close();

        let mut unused = rustc_hash::FxHashSet::default();
        for (_, saved) in &saved {
            let (used, vars) = saved.vars();
            for var in vars {
                if used {
                    let class = self.b.function().vars[var.0 as usize];
                    let zero = self.b.zero(class);
                    self.b.push(Stmt::Declare(var, zero));
                } else {
                    unused.insert(var);
                }
            }
        }
        list.retain(|statement| !matches!(statement, Stmt::Write(var, _) if unused.contains(var)));
        self.b.push(Stmt::Block { label, body: list });
        for statement in rest {
            self.b.push(statement);
        }
        Ok(())
    }

    fn rest_of_loop(
        &mut self,
        frame: &mut Frame<'a>,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        done: Label,
    ) -> Result<()> {
        self.block(frame, continuing)?;
        if let Some(condition) = break_if {
            let condition = self.scalar(frame, condition)?;
            self.b.push(Stmt::If { condition, accept: vec![Stmt::Exit(done)], reject: Vec::new() });
        }
        Ok(())
    }

    pub(super) fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<()> {
        let selector = self.scalar(frame, selector)?;
        let arms = arms(cases)?;
        let label = self.b.label();
        frame.breaks.push(label);
        self.b.open();
        if let Some(known) = self.b.known(selector) {
            let chosen = arms
                .iter()
                .find(|arm| arm.values.contains(&(known as u32)))
                .or_else(|| arms.iter().find(|arm| arm.is_default));
            if let Some(arm) = chosen {
                self.block(frame, arm.body)?;
            }
        } else if arms.len() <= MAX_NESTED_CASES {
            self.nested_arms(frame, selector, &arms, label)?;
        } else {
            self.row_of_arms(frame, selector, &arms, label)?;
        }
        frame.breaks.pop();
        let mut list = self.b.close();
        drop_exit(&mut list, label);
        if exits(&list, label) {
            self.b.push(Stmt::Block { label, body: list });
        } else {
            for statement in list {
                self.b.push(statement);
            }
        }
        Ok(())
    }

    /// Lowers a switch to nested branches: each arm in the `else` of the arm before, the default arm innermost.
    fn nested_arms(&mut self, frame: &mut Frame<'a>, selector: Value, arms: &[Arm<'a>], label: Label) -> Result<()> {
        let mut opened = Vec::new();
        for arm in arms.iter().filter(|arm| !arm.is_default) {
            let condition = self.matches(selector, &arm.values);
            let mut accept = self.list(frame, arm.body)?;
            drop_exit(&mut accept, label);
            opened.push((condition, accept));
            self.b.open();
        }
        for arm in arms.iter().filter(|arm| arm.is_default) {
            self.block(frame, arm.body)?;
        }
        while let Some((condition, accept)) = opened.pop() {
            let mut reject = self.b.close();
            drop_exit(&mut reject, label);
            self.report(CheckKind::Branch, "", vec![condition]);
            self.b.push(Stmt::If { condition, accept, reject });
        }
        Ok(())
    }

    /// Lowers a switch to a sequence of branches, one for each arm.
    fn row_of_arms(&mut self, frame: &mut Frame<'a>, selector: Value, arms: &[Arm<'a>], label: Label) -> Result<()> {
        let mut conditions = Vec::with_capacity(arms.len());
        let mut any = self.b.bool(false);
        for arm in arms {
            let condition = self.matches(selector, &arm.values);
            if !arm.is_default {
                any = if conditions.is_empty() { condition } else { self.b.binary(BinaryOp::Or, any, condition) };
            }
            conditions.push(condition);
        }
        let none = self.b.unary(crate::ir::UnaryOp::Not, any);
        for (arm, condition) in arms.iter().zip(conditions) {
            let condition = if arm.is_default { none } else { condition };
            let mut accept = self.list(frame, arm.body)?;
            drop_exit(&mut accept, label);
            self.b.push(Stmt::If { condition, accept, reject: Vec::new() });
        }
        Ok(())
    }

    /// Whether the selector equals one of the values.
    fn matches(&mut self, selector: Value, values: &[u32]) -> Value {
        let class = self.b.class(selector);
        let mut any = None;
        for value in values {
            let value = self.b.constant(class, u64::from(*value));
            let equal = self.b.compare(CompareOp::Eq, selector, value);
            any = Some(any.map_or(equal, |any| self.b.binary(BinaryOp::Or, any, equal)));
        }
        any.unwrap_or_else(|| self.b.bool(false))
    }
}

/// Groups the cases of a switch that share a body. Only cases without a body of their own may fall through.
fn arms(cases: &[SwitchCase]) -> Result<Vec<Arm<'_>>> {
    let mut arms = Vec::new();
    let (mut values, mut is_default) = (Vec::new(), false);
    for case in cases {
        match case.value {
            SwitchValue::I32(value) => values.push(value.cast_unsigned()),
            SwitchValue::U32(value) => values.push(value),
            SwitchValue::Default => is_default = true,
        }
        if case.fall_through {
            if !case.body.is_empty() {
                return Err(LowerError::unsupported("a case with statements that falls through"));
            }
            continue;
        }
        arms.push(Arm { values: std::mem::take(&mut values), is_default, body: &case.body });
        is_default = false;
    }
    Ok(arms)
}

/// Whether a loop's body contains a `continue` of the same loop.
fn continues(body: &Block) -> bool {
    let mut left = vec![body];
    while let Some(block) = left.pop() {
        for statement in block {
            match statement {
                Statement::Continue => return true,
                Statement::Block(inner) => left.push(inner),
                Statement::If { accept, reject, .. } => left.extend([accept, reject]),
                Statement::Switch { cases, .. } => left.extend(cases.iter().map(|case| &case.body)),
                _ => {}
            }
        }
    }
    false
}

/// Whether a statement of a list leaves the block `label`.
fn exits(list: &[Stmt], label: Label) -> bool {
    let mut left = vec![list];
    while let Some(list) = left.pop() {
        for statement in list {
            match statement {
                Stmt::Exit(to) if *to == label => return true,
                Stmt::If { accept, reject, .. } => left.extend([&accept[..], &reject[..]]),
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => left.push(body),
                _ => {}
            }
        }
    }
    false
}

/// Removes an exit from `label` at the end of a list, after which execution continues at the same point anyway.
pub(super) fn drop_exit(list: &mut List, label: Label) {
    if matches!(list.last(), Some(Stmt::Exit(to)) if *to == label) {
        list.pop();
    }
}
