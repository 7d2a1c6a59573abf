//! The number of iterations of a loop, and the code that remains of them after unrolling.
//!
//! Both are found by executing the constant part of the loop, with the known contents of variables before it.

mod evaluate;

use anywarp_backend::statements;
use naga::{Block, Expression, Handle, Literal, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::{Memory, Target};
use super::rewrite::Rewriter;
use super::text;
pub(super) use evaluate::Values;

/// The number of iterations: longer loops are not unrolled.
const MAX_TRIPS: usize = 64;

/// The number of expressions evaluated for one loop.
const MAX_EFFORT_PER_LOOP: usize = 20_000;

impl Rewriter<'_> {
    /// Executes a loop; `None` if its end is not known, or the remaining code costs more than `most`.
    pub(super) fn run(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        most: usize,
    ) -> Option<Turns> {
        let mut values = std::mem::take(&mut self.values);
        values.start(self.source.expressions.len());
        let effort = self.effort.min(MAX_EFFORT_PER_LOOP);
        let mut run = Run {
            rewriter: self,
            vars: FxHashMap::default(),
            values,
            rolled: FxHashSet::default(),
            cost: 0,
            text: 0,
            most,
            effort,
            gains: Gains::default(),
            masks: FxHashMap::default(),
            level: 0,
            barrier: false,
        };
        let trips = run.repeat(body, continuing, break_if);
        let Run { cost, text, effort: left, gains, barrier, values, .. } = run;
        self.values = values;
        self.effort = self.effort.saturating_sub(effort - left);
        trips.map(|whole| Turns { whole, cost, text, gains, barrier })
    }
}

/// The results of executing a loop.
pub(super) struct Turns {
    /// The number of complete iterations.
    pub(super) whole: usize,
    /// The number of expressions and statements that remain of all iterations.
    pub(super) cost: usize,
    /// The amount of code that remains.
    pub(super) text: usize,
    pub(super) gains: Gains,
    /// Whether the loop has a barrier.
    pub(super) barrier: bool,
}

/// Indices and branches that unrolling makes constant. Loops are bits: the lowest is the loop that is executed, and the
/// loops inside follow.
#[derive(Clone, Default)]
pub(super) struct Gains {
    /// Whether an index or a branch depends on the iteration of any of the loops.
    pub(super) any: bool,
    /// By new variable: the loops whose iteration an index depends on, and whether all indices are known.
    arrays: FxHashMap<usize, (u64, bool)>,
    /// The loops whose iteration alone determines an index of a value, such as a table or a vector.
    pub(super) tables: u64,
    /// The loops whose iteration alone determines an index of workgroup memory.
    pub(super) shared: u64,
}

impl Gains {
    /// The loops whose iteration indexes an array of the function of which all indices are known.
    pub(super) fn arrays(&self) -> u64 {
        self.arrays.values().filter(|(_, known)| *known).fold(0, |all, (mask, _)| all | mask)
    }
}

/// The known end of a list of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Never,
}

/// The error for a loop whose execution is not known, or costs too much.
struct Unknown;

/// The execution of a loop.
struct Run<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    /// The contents of new variables that the loop has stored to; `None` if unknown.
    vars: FxHashMap<usize, Option<Literal>>,
    /// The values of old expressions in this iteration.
    values: Values,
    /// The inner loops, by address, that are not unrolled.
    rolled: FxHashSet<usize>,
    /// The number of expressions and statements that remain.
    cost: usize,
    /// The amount of code that remains, without loads of variables whose content is known.
    text: usize,
    /// The limit of `cost`.
    most: usize,
    /// The number of evaluations that are still allowed.
    effort: usize,
    gains: Gains,
    /// The loops in whose iterations a new variable differs, one a bit.
    masks: FxHashMap<usize, u64>,
    /// The depth of the current loop in the one that is executed.
    level: u32,
    barrier: bool,
}

impl Run<'_, '_> {
    /// Executes a loop; returns its number of complete iterations.
    fn repeat(&mut self, body: &Block, continuing: &Block, break_if: Option<Handle<Expression>>) -> Option<usize> {
        for trips in 0..=MAX_TRIPS {
            match self.list(body, false).ok()? {
                Flow::On => {}
                Flow::Break | Flow::Never => return Some(trips),
            }
            match self.list(continuing, false).ok()? {
                Flow::On => {}
                Flow::Break | Flow::Never => return None,
            }
            if let Some(condition) = break_if {
                match self.literal(condition) {
                    Some(Literal::Bool(true)) => return Some(trips),
                    Some(Literal::Bool(false)) => {}
                    _ => return None,
                }
            }
        }
        None
    }

    /// Executes statements. A `break` `within` a branch or a loop that may not run makes the execution unknown.
    fn list(&mut self, block: &Block, within: bool) -> Result<Flow, Unknown> {
        for statement in block {
            let flow = self.statement(statement, within)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &Statement, within: bool) -> Result<Flow, Unknown> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.spend(0)?;
                    self.evaluate(handle);
                }
                // Checks the limit after the last expression.
                self.spend(0)?;
            }
            Statement::Block(inner) => return self.list(inner, within),
            Statement::If { condition, accept, reject } => {
                if let Some(Literal::Bool(known)) = self.literal(*condition) {
                    // The test that ends the loop disappears in any unrolled loop, so it is no gain.
                    let ends = [accept, reject].iter().any(|side| matches!(side.last(), Some(Statement::Break)));
                    self.gains.any |= !ends && self.values.varies(*condition);
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
            }
            Statement::Switch { cases, .. } => {
                self.spend(1)?;
                self.text += text::of_statement(self.rewriter, statement);
                let before = self.vars.clone();
                let mut after = Vec::new();
                for case in cases {
                    self.vars.clone_from(&before);
                    self.in_switch(&case.body)?;
                    after.push(std::mem::take(&mut self.vars));
                }
                self.vars.clone_from(&before);
                self.merge(&after);
            }
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
            Statement::Store { pointer, value } => {
                self.spend(1)?;
                let target = self.rewriter.target(*pointer);
                let kept = within || !self.is_forwarded(target);
                self.text += if kept { text::of_access(self.rewriter, *pointer) } else { 0 };
                match target {
                    Target::Local(local, whole) => {
                        let constant = self.rewriter.constant(*value).is_some();
                        let mask = self.values.mask(*value) | if constant { 0 } else { self.bit() };
                        let value = if whole { self.literal(*value) } else { None };
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
            }
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

    /// Executes an inner loop: unrolled if the limits allow that, else as a loop.
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

    /// Executes the body of a loop that stays a loop, to which each `break` and `continue` belongs.
    fn in_loop(&mut self, block: &Block) -> Result<(), Unknown> {
        self.own(block, true)
    }

    /// Executes a case of a `switch`, to which each `break` belongs.
    fn in_switch(&mut self, block: &Block) -> Result<(), Unknown> {
        self.own(block, false)
    }

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
                Statement::Switch { cases, .. } => {
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
                }
                _ => {
                    self.statement(statement, true)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets the contents of variables that differ between paths.
    fn merge(&mut self, others: &[FxHashMap<usize, Option<Literal>>]) {
        let mut keys: FxHashSet<usize> = self.vars.keys().copied().collect();
        keys.extend(others.iter().flat_map(|other| other.keys().copied()));
        for key in keys {
            let here = self.vars.get(&key).copied();
            if others.iter().any(|other| other.get(&key).copied() != here) {
                self.vars.insert(key, None);
            }
        }
    }

    fn forget_written(&mut self, block: &Block) {
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

    fn spend(&mut self, cost: usize) -> Result<(), Unknown> {
        self.cost += cost;
        self.effort = self.effort.saturating_sub(1);
        if self.cost > self.most || self.effort == 0 { Err(Unknown) } else { Ok(()) }
    }
}
