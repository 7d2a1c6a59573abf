//! Unrolling: whether to write a loop's turns one after the other.

use std::ops::AddAssign;

use naga::{AddressSpace, Block, Expression, Handle};

use super::count::Turns;
use super::rewrite::Rewriter;
use super::text;
use crate::circumstances::Unrolling;

/// A loop is unrolled if its turns together have no more expressions than this.
const MOST_OF_A_LOOP: usize = 3_000;

/// The same for loops with a barrier in them.
const MOST_WITH_BARRIER: usize = 100;

/// The same for loops in which no index and no branch depends on the turn.
const MOST_WITHOUT_GAIN: usize = 100;

/// The same where the compiler unrolls all that is worth it by itself.
const MOST_FOR_ARRAYS: usize = 1_000;

/// Drivers unroll what is shorter than this by themselves, where that is worth it.
const LONG: usize = 200;

/// Loops that were unrolled where only those are that it saves something for; each as often as it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unrolled {
    /// Every index that turns make of an array of the function is known: it may become variables, or what one turn
    /// stores is known to the next.
    pub arrays: usize,
    /// Workgroup memory is indexed by turns alone, so that a turn can read while another one computes; and the loop had
    /// become too long for a driver to find that.
    pub long: usize,
    /// So much is known in each turn that the text is hardly longer than the loop's.
    pub folded: usize,
}

impl AddAssign for Unrolled {
    fn add_assign(&mut self, other: Self) {
        self.arrays += other.arrays;
        self.long += other.long;
        self.folded += other.folded;
    }
}

impl Rewriter<'_> {
    /// How often a loop is left at the start of a turn or at its end, if it is to be unrolled: the number of whole
    /// turns before that.
    pub(super) fn worthwhile(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Option<usize> {
        let most = MOST_OF_A_LOOP.min(self.growth);
        let turns = self.run(body, continuing, break_if, most)?;
        let worth = match self.circumstances.unrolling {
            Unrolling::Full => turns.cost <= full(&turns, most),
            Unrolling::Selective => self.selective(&turns, [body, continuing]),
            Unrolling::ByCompiler => turns.cost <= by_compiler(&turns, most),
        };
        if turns.whole > 0 && !worth {
            return None;
        }
        self.growth = self.growth.saturating_sub(turns.cost);
        Some(turns.whole)
    }

    /// Whether unrolling a loop saves something that a driver would not find, or costs next to nothing; counts those
    /// that do.
    fn selective(&mut self, turns: &Turns, blocks: [&Block; 2]) -> bool {
        let of_this = |loops: u64| loops & 1 != 0;
        let rolled = text::OF_A_LOOP + blocks.iter().map(|block| text::of(self, block)).sum::<usize>();
        let (reason, worth) = if turns.text <= rolled + rolled / 2 {
            (&mut self.unrolled.folded, true)
        } else if turns.barrier && turns.cost > MOST_WITH_BARRIER {
            return false;
        } else if of_this(turns.gains.arrays()) {
            (&mut self.unrolled.arrays, true)
        } else {
            (&mut self.unrolled.long, rolled >= LONG && of_this(turns.gains.shared))
        };
        *reason += usize::from(worth);
        worth
    }

    /// The memory that an old expression points into, if it is a pointer.
    pub(super) fn space(&self, old: Handle<Expression>) -> Option<AddressSpace> {
        self.types.get(old, &self.module.types).pointer_space()
    }
}

/// How much may remain of a loop's turns where all loops are unrolled.
fn full(turns: &Turns, most: usize) -> usize {
    match (turns.gains.any, turns.barrier) {
        (_, true) => MOST_WITH_BARRIER,
        (false, _) => MOST_WITHOUT_GAIN,
        _ => most,
    }
}

/// How much may remain of a loop's turns where the compiler unrolls.
fn by_compiler(turns: &Turns, most: usize) -> usize {
    match (turns.gains.arrays() & 1 != 0, turns.barrier) {
        (false, _) => 0,
        (_, true) => MOST_WITH_BARRIER,
        _ => most.min(MOST_FOR_ARRAYS),
    }
}
