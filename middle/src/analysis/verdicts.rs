//! The results of the analysis for each access and each loop.

use anywarp_backend::{FunctionProofs, Proofs, loops};
use naga::{Expression, Handle, Module};

/// The number of elements that an access indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// A constant number of elements.
    Fixed(u32),
    /// The length of this variable's runtime-sized array.
    Length(String),
}

/// A change of the kernel that would let the analysis prove that an index is in range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// A new comparison of the index with the number of elements.
    Guard,
    /// A comparison of the index with the number of elements, in place of the comparison with this bound.
    OtherBound(String),
    /// A comparison of the index with the number of elements, in place of the comparison with this bound. The bound is
    /// in memory, so the host does not know it.
    MemoryBound(String),
    /// A workgroup that has at most this number of invocations in the dimension of the index.
    WorkgroupSize(u32),
    /// A new check that the index is not negative.
    Negative,
}

/// The reason why a loop is not proven to end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopAdvice {
    /// The counter of the loop may wrap around.
    MayWrap,
    /// The loop has no variable that only grows or only shrinks.
    NoCounter,
}

/// The result of the analysis for one access, which holds for all evaluations of the access.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The conditions on a launch under which the index is in range, as one bit per condition: 0 if the index is always
    /// in range, `None` if no conditions were found.
    pub(super) needs: Option<u64>,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) count: Option<Count>,
    pub(super) advice: Option<Advice>,
}

/// The result of the analysis for one loop.
#[derive(Clone, Debug)]
pub(super) struct SeenLoop {
    pub(super) ends: bool,
    pub(super) counter: Option<String>,
    /// The least and the greatest value of the counter.
    pub(super) known: Option<(i64, i64)>,
    /// The largest number of iterations that the loop begins.
    pub(super) turns: Option<u32>,
    pub(super) advice: Option<LoopAdvice>,
}

/// The results of the analysis for the accesses and loops of one function.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionVerdicts {
    pub(super) accesses: Vec<Option<Seen>>,
    pub(super) loops: Vec<Option<SeenLoop>>,
}

/// The results for all functions of the module; the last entry is the entry point.
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

    /// The proofs for launches that meet the conditions whose bits are set in `met`.
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
