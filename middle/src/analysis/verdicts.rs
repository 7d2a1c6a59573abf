//! The results for each access and each loop.

use anywarp_backend::{FunctionProofs, Proofs, loops};
use naga::{Expression, Handle, Module};

/// The number of elements that an access indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// A constant number.
    Fixed(u32),
    /// The length of this variable's runtime-sized array.
    Length(String),
}

/// The change of the kernel that would prove an access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// A comparison of the index with the number of elements.
    Guard,
    /// The number of elements in place of this bound, with which the index is compared.
    OtherBound(String),
    /// The number of elements in place of this bound, which is in memory and not known to the host.
    MemoryBound(String),
    /// A workgroup with at most this many invocations, in the dimension of the index.
    WorkgroupSize(u32),
    /// A check that the index is not negative.
    Negative,
}

/// The reason why a loop is not known to end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopAdvice {
    /// Its counter may wrap around.
    MayWrap,
    /// It has no variable that only grows or only shrinks.
    NoCounter,
}

/// The result for one access, over all its visits.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The conditions on a launch under which it is in range, one a bit: 0 if it always is, `None` if none were found.
    pub(super) needs: Option<u64>,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) count: Option<Count>,
    pub(super) advice: Option<Advice>,
}

/// The result for one loop.
#[derive(Clone, Debug)]
pub(super) struct SeenLoop {
    pub(super) ends: bool,
    pub(super) counter: Option<String>,
    /// The range of the counter.
    pub(super) known: Option<(i64, i64)>,
    /// The maximum number of iterations that begin.
    pub(super) turns: Option<u32>,
    pub(super) advice: Option<LoopAdvice>,
}

/// The results for one function.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionVerdicts {
    pub(super) accesses: Vec<Option<Seen>>,
    pub(super) loops: Vec<Option<SeenLoop>>,
}

/// The results for all functions, and as the last one for the entry point.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    pub(super) functions: Vec<FunctionVerdicts>,
}

impl Verdicts {
    pub(super) fn of(module: &Module) -> Self {
        let functions = module.functions.iter().map(|(_, function)| function);
        let all = functions.chain(module.entry_points.first().map(|entry| &entry.function));
        let empty = all.map(|function| FunctionVerdicts {
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

    /// The proofs for launches that meet the conditions of some bits.
    pub(super) fn proofs(&self, met: u64) -> Proofs {
        let in_range = |seen: &Seen| seen.needs.is_some_and(|needs| needs & !met == 0);
        let one = |of: &FunctionVerdicts| FunctionProofs {
            in_range: of.accesses.iter().map(|seen| seen.as_ref().is_some_and(in_range)).collect(),
            ends: of.loops.iter().map(|seen| seen.as_ref().is_some_and(|seen| seen.ends)).collect(),
            turns: of.loops.iter().map(|seen| seen.as_ref().and_then(|seen| seen.turns)).collect(),
        };
        let Some((entry, functions)) = self.functions.split_last() else { return Proofs::default() };
        Proofs { functions: functions.iter().map(one).collect(), entry: one(entry) }
    }
}
