//! Dead stores: stores to a variable of a function that nothing reads before the next store to the variable.

use anywarp_backend::statements;
use naga::{Block, Expression, Function, Statement};
use rustc_hash::FxHashSet;

use super::memory::escaped;
use crate::rebuild::prune::{Uses, address, local_of};

/// The largest number of variables of a function for which dead stores are searched: every branch copies sets of
/// variables.
const MAX_VARIABLES: usize = 4_096;

/// The largest nesting depth of loops that the search for dead stores analyses: deeper loops count as if they read
/// every variable.
const MAX_NESTED_LOOPS: usize = 8;

/// Returns the addresses of the dead stores, and `uses` unchanged.
pub(super) fn dead(function: &Function, uses: Uses) -> (FxHashSet<usize>, Uses) {
    let count = function.local_variables.len();
    if count == 0 || count > MAX_VARIABLES {
        return (FxHashSet::default(), uses);
    }
    let mut escapes = Variables::none(count);
    for (at, escaped) in escaped(function).into_iter().enumerate() {
        if escaped {
            escapes.insert(at);
        }
    }
    let mut walk = Walk {
        function,
        uses,
        escapes,
        dead: FxHashSet::default(),
        after_break: Variables::none(count),
        after_continue: Variables::none(count),
        loops: 0,
    };
    walk.back(&function.body, &mut Variables::none(count));
    (walk.dead, walk.uses)
}

/// A set of variables.
#[derive(Clone)]
struct Variables(Vec<u64>);

impl Variables {
    fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    fn fill(&mut self) {
        self.0.fill(u64::MAX);
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// The state of a walk from the end of a function to its start, which computes, for each statement, the variables that
/// later statements read.
struct Walk<'a> {
    function: &'a Function,
    uses: Uses,
    escapes: Variables,
    dead: FxHashSet<usize>,
    after_break: Variables,
    after_continue: Variables,
    loops: usize,
}

impl Walk<'_> {
    fn back(&mut self, block: &Block, live: &mut Variables) {
        for statement in block.iter().rev() {
            self.statement(statement, live);
        }
    }

    fn statement(&mut self, statement: &Statement, live: &mut Variables) {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    if let Expression::Load { pointer } = self.function.expressions[handle]
                        && self.uses.expressions[handle.index()]
                        && let Some(local) = local_of(&self.function.expressions, pointer)
                    {
                        live.insert(local.index());
                    }
                }
            }
            Statement::Store { pointer, .. } => {
                let Some(local) = local_of(&self.function.expressions, *pointer) else { return };
                let at = local.index();
                if self.escapes.contains(at) {
                    return;
                }
                if !live.contains(at) {
                    self.dead.insert(address(statement));
                } else if matches!(self.function.expressions[*pointer], Expression::LocalVariable(_)) {
                    live.remove(at);
                }
            }
            Statement::Block(inner) => self.back(inner, live),
            Statement::If { accept, reject, .. } => {
                let mut other = live.clone();
                self.back(accept, live);
                self.back(reject, &mut other);
                live.add(&other);
            }
            Statement::Switch { cases, .. } => {
                let outer = std::mem::replace(&mut self.after_break, live.clone());
                let mut before = Variables::none(self.function.local_variables.len());
                let mut next = live.clone();
                for case in cases.iter().rev() {
                    let mut here = if case.fall_through { next } else { live.clone() };
                    self.back(&case.body, &mut here);
                    before.add(&here);
                    next = here;
                }
                self.after_break = outer;
                *live = before;
            }
            Statement::Loop { body, continuing, .. } => {
                let outer = (self.after_break.clone(), self.after_continue.clone());
                self.after_break.clone_from(live);
                self.loops += 1;
                if self.loops > MAX_NESTED_LOOPS {
                    live.fill();
                } else {
                    self.read(body, live);
                    self.read(continuing, live);
                }
                self.back(continuing, live);
                self.after_continue.clone_from(live);
                self.back(body, live);
                self.loops -= 1;
                (self.after_break, self.after_continue) = outer;
            }
            Statement::Break => live.clone_from(&self.after_break),
            Statement::Continue => live.clone_from(&self.after_continue),
            Statement::Return { .. } | Statement::Kill => live.clear(),
            _ => {}
        }
    }

    /// Adds all variables that a block reads.
    fn read(&self, block: &Block, live: &mut Variables) {
        for (statement, _) in statements(block) {
            let Statement::Emit(range) = statement else { continue };
            for handle in range.clone() {
                if let Expression::Load { pointer } = self.function.expressions[handle]
                    && let Some(local) = local_of(&self.function.expressions, pointer)
                {
                    live.insert(local.index());
                }
            }
        }
    }
}
