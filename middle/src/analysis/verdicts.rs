//! What was found of each access and each loop.

use anywarp_backend::{FunctionProofs, Proofs, loops};
use naga::{Expression, Handle, Module};

/// How many elements an access chooses among.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Fixed(u32),
    /// As many as the unsized array of this variable has.
    Length(String),
}

/// What would prove an access that is not proven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// A comparison of the index with the number of elements.
    Guard,
    /// The index is compared, but with something else: what that is.
    OtherBound(String),
    /// The index is compared, but with what lies in memory, which a host does not know: what that is.
    MemoryBound(String),
    /// A workgroup with at most so many invocations, in that dimension.
    WorkgroupSize(u32),
    /// The index is compared, but may be negative.
    Negative,
}

/// What would let a loop be seen to end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopAdvice {
    /// Its counter may go beyond its type's last number, and begin anew.
    MayWrap,
    /// It has no variable that only grows, or only shrinks.
    NoCounter,
}

/// One access, over all the times that it was gone through.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The conditions of a launch under which it is in range, as bits: 0 if it always is, `None` if none were found.
    pub(super) needs: Option<u64>,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) count: Option<Count>,
    pub(super) advice: Option<Advice>,
}

/// One loop.
#[derive(Clone, Debug)]
pub(super) struct SeenLoop {
    pub(super) ends: bool,
    pub(super) counter: Option<String>,
    /// The range of the counter.
    pub(super) known: Option<(i64, i64)>,
    /// Turns that are begun at most.
    pub(super) turns: Option<u32>,
    pub(super) advice: Option<LoopAdvice>,
}

/// Of one function.
#[derive(Clone, Debug, Default)]
pub(super) struct OfFunction {
    pub(super) accesses: Vec<Option<Seen>>,
    pub(super) loops: Vec<Option<SeenLoop>>,
}

/// Of all functions, and behind them of the entry point.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    pub(super) functions: Vec<OfFunction>,
}

impl Verdicts {
    pub(super) fn of(module: &Module) -> Self {
        let functions = module.functions.iter().map(|(_, function)| function);
        let all = functions.chain(module.entry_points.first().map(|entry| &entry.function));
        let empty = all.map(|function| OfFunction {
            accesses: vec![None; function.expressions.len()],
            loops: vec![None; loops(function).len()],
        });
        Self { functions: empty.collect() }
    }

    pub(super) fn record(&mut self, function: usize, access: Handle<Expression>, seen: Seen) {
        let slot = &mut self.functions[function].accesses[access.index()];
        *slot = Some(match slot.take() {
            None => seen,
            Some(before) => Seen {
                needs: before.needs.zip(seen.needs).map(|(one, other)| one | other),
                low: before.low.min(seen.low),
                high: before.high.max(seen.high),
                count: if before.count == seen.count { seen.count } else { None },
                advice: before.advice.or(seen.advice),
            },
        });
    }

    pub(super) fn record_loop(&mut self, function: usize, number: usize, seen: SeenLoop) {
        let slot = &mut self.functions[function].loops[number];
        *slot = Some(match slot.take() {
            Some(before) if !before.ends => before,
            Some(before) => SeenLoop { turns: before.turns.zip(seen.turns).map(|(one, other)| one.max(other)), ..seen },
            None => seen,
        });
    }

    /// What backends are told of launches that meet the conditions of some bits.
    pub(super) fn proofs(&self, met: u64) -> Proofs {
        let in_range = |seen: &Seen| seen.needs.is_some_and(|needs| needs & !met == 0);
        let one = |of: &OfFunction| FunctionProofs {
            in_range: of.accesses.iter().map(|seen| seen.as_ref().is_some_and(in_range)).collect(),
            ends: of.loops.iter().map(|seen| seen.as_ref().is_some_and(|seen| seen.ends)).collect(),
            turns: of.loops.iter().map(|seen| seen.as_ref().and_then(|seen| seen.turns)).collect(),
        };
        let Some((entry, functions)) = self.functions.split_last() else { return Proofs::default() };
        Proofs { functions: functions.iter().map(one).collect(), entry: one(entry) }
    }
}
