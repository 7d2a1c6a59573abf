//! The number of iterations of a loop, and the code that remains of these iterations after unrolling.
//!
//! Both are found by executing the constant part of the loop, with the known contents of variables before the loop.

mod evaluate;
mod paths;
mod statements;

use naga::{Block, Expression, Handle, Literal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rewrite::Rewriter;
pub(super) use evaluate::Values;

/// The largest number of iterations of a loop that is unrolled.
const MAX_TRIPS: usize = 64;

/// The largest number of expressions that are evaluated for one loop.
const MAX_EFFORT_PER_LOOP: usize = 20_000;

impl Rewriter<'_> {
    /// Executes the constant part of a loop. Returns `None` if the number of iterations is unknown, or if more than
    /// `most` expressions and statements remain after unrolling.
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

/// The number of iterations of a loop, and the code that remains of them after unrolling.
pub(super) struct Turns {
    /// The number of complete iterations of the loop.
    pub(super) whole: usize,
    /// The number of expressions and statements that remain of all iterations after unrolling.
    pub(super) cost: usize,
    /// The amount of code that remains of all iterations after unrolling, in SPIR-V instructions.
    pub(super) text: usize,
    pub(super) gains: Gains,
    /// Whether the loop has a barrier.
    pub(super) barrier: bool,
}

/// The indices and branches that unrolling makes constant. In masks of loops, the lowest bit is the loop that is
/// executed, and the next bits are the loops inside, by depth.
#[derive(Clone, Default)]
pub(super) struct Gains {
    /// Whether an index or a branch depends on the iteration of any of the loops.
    pub(super) any: bool,
    /// For each variable of the new function: the mask of loops on whose iteration an index into the variable depends,
    /// and whether all indices into it are known.
    arrays: FxHashMap<usize, (u64, bool)>,
    /// The mask of loops whose iteration alone determines an index into a value, such as a table or a vector.
    pub(super) tables: u64,
    /// The mask of loops whose iteration alone determines an index into workgroup memory.
    pub(super) shared: u64,
}

impl Gains {
    /// The mask of loops whose iteration indexes an array variable of the function, all of whose indices are known.
    pub(super) fn arrays(&self) -> u64 {
        self.arrays.values().filter(|(_, known)| *known).fold(0, |all, (mask, _)| all | mask)
    }
}

/// The way in which execution leaves a list of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Never,
}

/// The error for a loop whose execution cannot be determined, or costs too much.
struct Unknown;

/// The state of the execution of a loop.
struct Run<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    /// The content of each variable of the new function that the loop has stored to; `None` if the content is unknown.
    vars: FxHashMap<usize, Option<Literal>>,
    /// The values that expressions of the old function have in the current iteration.
    values: Values,
    /// The inner loops, by address, that are not unrolled.
    rolled: FxHashSet<usize>,
    /// The number of expressions and statements that remain so far.
    cost: usize,
    /// The amount of code that remains so far, in SPIR-V instructions, without loads of variables whose content is
    /// known.
    text: usize,
    /// The value of `cost` above which the execution stops with an error.
    most: usize,
    /// The number of evaluations that the execution of the loop may still make.
    effort: usize,
    gains: Gains,
    /// For each variable of the new function: the mask of loops on whose iteration its content depends.
    masks: FxHashMap<usize, u64>,
    /// The nesting depth of the current loop within the loop that is executed.
    level: u32,
    barrier: bool,
}

impl Run<'_, '_> {
    /// Executes a loop; returns the number of its complete iterations, or `None` if that number is unknown.
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

    /// Adds to the cost, and counts one evaluation. Returns an error if the cost exceeds `most`, or no evaluations are
    /// left.
    fn spend(&mut self, cost: usize) -> Result<(), Unknown> {
        self.cost += cost;
        self.effort = self.effort.saturating_sub(1);
        if self.cost > self.most || self.effort == 0 { Err(Unknown) } else { Ok(()) }
    }
}
