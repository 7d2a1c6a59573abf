//! The choice of loops to unroll.

use std::ops::AddAssign;

use naga::{AddressSpace, Block, Expression, Handle};

use super::count::Turns;
use super::rewrite::Rewriter;
use super::text;
use crate::circumstances::Unrolling;

/// The largest number of expressions of an unrolled loop.
const MAX_EXPRESSIONS: usize = 3_000;

/// The largest number of expressions and statements of all iterations of an unrolled loop with a barrier.
const MAX_WITH_BARRIER: usize = 100;

/// The largest number of expressions and statements of all iterations of an unrolled loop in which no index and no
/// branch depends on the iteration.
const MAX_WITHOUT_GAIN: usize = 100;

/// The largest number of expressions and statements of all iterations of an unrolled loop, for compilers that unroll
/// loops themselves.
const MAX_FOR_ARRAYS: usize = 1_000;

/// The length of a loop, in SPIR-V instructions of one iteration, from which on drivers do not unroll the loop
/// themselves, even where unrolling would make it faster.
const LONG: usize = 200;

/// The numbers of loops that [`Unrolling::Selective`] unrolled, by reason. A loop counts once for each copy that
/// unrolling an outer loop makes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unrolled {
    /// The number of loops whose unrolling makes all indices of an array of the function constant. One variable for
    /// each element may then replace the array, or the value that one iteration stores may replace a load in the next.
    pub arrays: usize,
    /// The number of loops that index workgroup memory by the iteration only, and that are too long for drivers to
    /// unroll. After unrolling, the reads of one iteration overlap with the computation of another.
    pub long: usize,
    /// The number of loops whose unrolled iterations together are little more code than the loop itself.
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
    /// The number of complete iterations of a loop that is to be unrolled; `None` if the loop is not to be unrolled.
    pub(super) fn worthwhile(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Option<usize> {
        let most = MAX_EXPRESSIONS.min(self.growth);
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

    /// Whether unrolling a loop saves work that drivers do not save, or adds almost no code. If so, counts the loop in
    /// `unrolled`.
    fn selective(&mut self, turns: &Turns, blocks: [&Block; 2]) -> bool {
        let of_this = |loops: u64| loops & 1 != 0;
        let rolled = text::OF_A_LOOP + blocks.iter().map(|block| text::of(self, block)).sum::<usize>();
        let (reason, worth) = if turns.text <= rolled + rolled / 2 {
            (&mut self.unrolled.folded, true)
        } else if turns.barrier && turns.cost > MAX_WITH_BARRIER {
            return false;
        } else if of_this(turns.gains.arrays()) {
            (&mut self.unrolled.arrays, true)
        } else {
            (&mut self.unrolled.long, rolled >= LONG && of_this(turns.gains.shared))
        };
        *reason += usize::from(worth);
        worth
    }

    /// The address space of an expression of the old function that is a pointer; `None` for other expressions.
    pub(super) fn space(&self, old: Handle<Expression>) -> Option<AddressSpace> {
        self.types.get(old, &self.module.types).pointer_space()
    }
}

/// The largest number of expressions and statements of all iterations of an unrolled loop, for [`Unrolling::Full`].
fn full(turns: &Turns, most: usize) -> usize {
    match (turns.gains.any, turns.barrier) {
        (_, true) => MAX_WITH_BARRIER,
        (false, _) => MAX_WITHOUT_GAIN,
        _ => most,
    }
}

/// The largest number of expressions and statements of all iterations of an unrolled loop, for
/// [`Unrolling::ByCompiler`].
fn by_compiler(turns: &Turns, most: usize) -> usize {
    match (turns.gains.arrays() & 1 != 0, turns.barrier) {
        (false, _) => 0,
        (_, true) => MAX_WITH_BARRIER,
        _ => most.min(MAX_FOR_ARRAYS),
    }
}
