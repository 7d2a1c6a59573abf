//! The passes of a histogram. This module is pure.

use std::fmt;

use super::super::plan::Plan;

/// The number of counters that fit into the memory of a workgroup.
const SHARED: u64 = 4096;
/// The greatest number of counters of all workgroups on the CPU: 4 MiB, which fit into its caches.
const MAX_ROWS: u64 = 1 << 20;
/// The number of copies of each counter below which atomic additions of equal elements wait for each other, so that
/// invocations add equal neighbours at once.
const MIN_COPIES: u64 = 16;
/// The number of elements of a vector.
const VECTOR: u64 = 4;

/// The sizes of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of elements, of one word each.
    pub(super) count: u64,
    /// The number of bins of all channels.
    pub(super) counters: u64,
    pub(super) sum: Sum,
    /// Whether elements can be read four at a time.
    pub(super) aligned: bool,
    /// The greatest number of elements of a launch, if an array is larger than a binding can be.
    pub(super) window: Option<u64>,
}

/// The kind of sum for each bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Counts,
    /// Sums of integer weights.
    Integers,
    /// Sums of `f32` weights, in 64 bits.
    Floats,
}

/// The operation of a pass over the elements, with its number in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add = 0,
    GreatestWeights = 1,
    FixedSums = 2,
}

/// The range of elements that one launch counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) begin: u64,
    pub(super) count: u64,
}

/// A pass over the elements that updates counters by atomics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counting {
    pub(super) operation: Operation,
    pub(super) part: Part,
    pub(super) groups: u64,
    /// The number of elements, or of vectors, that one workgroup counts.
    pub(super) chunk: u64,
    /// The number of copies of each counter in workgroup memory; 0 if the kernel adds to the result directly.
    pub(super) copies: u64,
    pub(super) vectors: bool,
    /// Whether an invocation adds equal neighbours by one atomic addition.
    pub(super) runs: bool,
}

/// One command of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Writes zeros to the result.
    Clear,
    /// Counts with atomics.
    Count(Counting),
    /// Clears the scratch memory, which contains the counters of each workgroup, or sums of 64 bits.
    ClearScratch,
    /// Counts in a row of counters for each workgroup of one invocation.
    Rows { part: Part, groups: u64, chunk: u64 },
    /// Writes the sum of all rows of counters to the result.
    SumRows { rows: u64 },
    /// Converts the sums of 64 bits to the results in `f32`.
    Floats,
}

/// The choice between kernels that count the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Atomic additions.
    Atomics {
        /// Whether counters are in workgroup memory, if it is large enough; otherwise the kernel adds to the result.
        shared: bool,
        /// Whether elements are read four at a time, if they are aligned.
        vectors: bool,
        /// Whether an invocation adds equal neighbours at once, so that frequent elements need fewer atomic additions.
        runs: bool,
        /// The greatest number of workgroups.
        groups: u64,
    },
    /// Separate counters for each workgroup of one invocation, if their number does not exceed `MAX_ROWS`; otherwise
    /// atomics.
    Rows,
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomics { shared, vectors, runs, groups } => {
                write!(f, "atomics shared={shared} vectors={vectors} runs={runs} groups={groups}")
            }
            Self::Rows => f.write_str("rows"),
        }
    }
}

impl Choice {
    /// All choices.
    pub(super) fn all(shape: Shape, cpu: bool) -> Vec<Self> {
        if cpu {
            return vec![Self::Rows, Self::default_for(shape, false)];
        }
        let fits = copies(shape.counters, if shape.sum == Sum::Floats { 2 } else { 1 }) > 0;
        let mut all = Vec::new();
        for shared in [true, false].into_iter().filter(|shared| fits || !shared) {
            for runs in [false, true] {
                let atomics = |groups| Self::Atomics { shared, vectors: true, runs, groups };
                all.extend([256, 512, 1024, 2048, 4096].map(atomics));
            }
        }
        all
    }

    /// The choice that a call uses without tuning.
    pub(super) fn default_for(shape: Shape, cpu: bool) -> Self {
        // On the CPU, atomics and barriers take several times as long as the additions.
        if cpu && shape.counters <= MAX_ROWS && shape.sum != Sum::Floats {
            return Self::Rows;
        }
        let copies = copies(shape.counters, if shape.sum == Sum::Floats { 2 } else { 1 });
        // 1024 workgroups occupy a large device, and each has enough elements that clearing and adding its counters
        // costs little.
        Self::Atomics { shared: copies > 0, vectors: true, runs: copies < MIN_COPIES, groups: 1024 }
    }
}

/// The number of copies of each counter, of this many words, that fit into workgroup memory: a power of two up to 32,
/// or 0.
fn copies(counters: u64, words: u64) -> u64 {
    match SHARED / (counters * words).max(1) {
        0 => 0,
        copies => (1 << copies.ilog2()).min(32),
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { count, counters, sum, .. } = shape;
    let weights = if sum == Sum::Counts { 0 } else { 4 * count };
    let (bytes, flops) = (4 * (count + counters) + weights, weights / 4);
    if count == 0 || counters == 0 {
        return Plan { passes: vec![Pass::Clear], scratch: 0, flops, bytes };
    }
    let (passes, scratch) = match (choice, sum) {
        (Choice::Rows, Sum::Counts | Sum::Integers) if counters <= MAX_ROWS => {
            // Each row of counters must be cleared and added up, so that a workgroup counts several times as many
            // elements as it has counters.
            let most = (MAX_ROWS / counters).min(64);
            let groups = (count / (8 * counters).max(4096)).clamp(1, most);
            let chunk = count.div_ceil(groups);
            let rows = count.div_ceil(chunk);
            // All windows add to the same rows of counters.
            let pass = |part: Part| Pass::Rows { part, groups: part.count.div_ceil(chunk), chunk };
            let passes = shape.parts().map(pass);
            (
                [Pass::ClearScratch].into_iter().chain(passes).chain([Pass::SumRows { rows }]).collect(),
                4 * rows * counters,
            )
        }
        (_, Sum::Floats) => {
            let passes = [Operation::GreatestWeights, Operation::FixedSums];
            let passes = passes.into_iter().flat_map(|operation| counts(shape, choice, operation));
            let passes = [Pass::ClearScratch].into_iter().chain(passes).chain([Pass::Floats]);
            (passes.collect(), 12 * counters)
        }
        _ => ([Pass::Clear].into_iter().chain(counts(shape, choice, Operation::Add)).collect(), 0),
    };
    Plan { passes, scratch, flops, bytes }
}

impl Shape {
    /// Returns the ranges of elements of all launches: one range, or one for each window.
    fn parts(self) -> impl Iterator<Item = Part> {
        let most = self.window.unwrap_or(u64::MAX);
        let begins = (0..self.count).step_by(usize::try_from(most).unwrap_or(usize::MAX).max(1));
        begins.map(move |begin| Part { begin, count: most.min(self.count - begin) })
    }
}

fn counts(shape: Shape, choice: Choice, operation: Operation) -> impl Iterator<Item = Pass> {
    shape.parts().map(move |part| Pass::Count(counting(shape, part, choice, operation)))
}

fn counting(shape: Shape, part: Part, choice: Choice, operation: Operation) -> Counting {
    let words = if operation == Operation::FixedSums { 2 } else { 1 };
    let (shared, vectors, runs, most) = match choice {
        Choice::Atomics { shared, vectors, runs, groups } => (shared, vectors, runs, groups),
        Choice::Rows => (false, false, false, 2048),
    };
    // Elements with weights are read one at a time.
    let vectors = vectors && shape.aligned && shape.sum == Sum::Counts && part.count >= VECTOR;
    let cells = if vectors { part.count / VECTOR } else { part.count };
    let chunk = cells.div_ceil(most.max(1)).next_multiple_of(1024).max(if vectors { 1024 } else { 4096 });
    let copies = if shared { copies(shape.counters, words) } else { 0 };
    Counting { operation, part, groups: cells.div_ceil(chunk), chunk, copies, vectors, runs }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atomics(shared: bool, vectors: bool) -> Choice {
        Choice::Atomics { shared, vectors, runs: true, groups: 1024 }
    }

    fn shape(count: u64, counters: u64) -> Shape {
        Shape { count, counters, sum: Sum::Counts, aligned: true, window: None }
    }

    fn counted(plan: &Plan<Pass>) -> Vec<Counting> {
        let count = |pass: &Pass| if let Pass::Count(counting) = pass { Some(*counting) } else { None };
        plan.passes.iter().filter_map(count).collect()
    }

    #[test]
    fn chunks_cover_all_elements() {
        for count in [1, 2, 3, 4, 4095, 4096, 4097, 1 << 20, (1 << 26) + 1, 1 << 31] {
            for counters in [1, 2, 255, 4096, 4097, 100_000, 1 << 20] {
                for choice in [atomics(true, true), atomics(true, false), atomics(false, true), Choice::Rows] {
                    for sum in [Sum::Counts, Sum::Integers, Sum::Floats] {
                        let shape = Shape { sum, ..shape(count, counters) };
                        let plan = plan(shape, choice);
                        for pass in &plan.passes {
                            let (groups, chunk, cells) = match *pass {
                                Pass::Count(Counting { groups, chunk, vectors, .. }) => {
                                    (groups, chunk, if vectors { count / 4 } else { count })
                                }
                                Pass::Rows { groups, chunk, .. } => (groups, chunk, count),
                                _ => continue,
                            };
                            assert!(groups * chunk >= cells && (groups - 1) * chunk < cells, "{shape:?}: {plan:?}");
                            assert!(groups <= 65_535 && groups * chunk < 1 << 32, "{shape:?}: {plan:?}");
                        }
                        assert!(plan.scratch <= 12 * MAX_ROWS, "{shape:?}: {plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_bins_have_several_copies() {
        let copies = |bins| counted(&plan(shape(1 << 20, bins), atomics(true, true)))[0].copies;
        assert_eq!([1, 100, 128, 129, 256, 4096, 4097].map(copies), [32, 32, 32, 16, 16, 1, 0]);
        let floats = Shape { sum: Sum::Floats, ..shape(1 << 20, 256) };
        let copies: Vec<u64> = counted(&plan(floats, atomics(true, true))).iter().map(|pass| pass.copies).collect();
        assert_eq!(copies, [16, 8]);
    }

    #[test]
    fn vectors_need_aligned_elements_without_weights() {
        let vectors = |shape| counted(&plan(shape, atomics(true, true)))[0].vectors;
        assert!(vectors(shape(4, 10)) && !vectors(shape(3, 10)));
        assert!(!vectors(Shape { aligned: false, ..shape(100, 10) }));
        assert!(!vectors(Shape { sum: Sum::Integers, ..shape(100, 10) }));
    }

    #[test]
    fn each_kind_of_device_has_its_way() {
        let choice = |bins, cpu| Choice::default_for(shape(1 << 20, bins), cpu);
        let gpu = |shared, runs| Choice::Atomics { shared, vectors: true, runs, groups: 1024 };
        assert_eq!((choice(256, true), choice(256, false)), (Choice::Rows, gpu(true, false)));
        assert_eq!((choice(4096, false), choice(4097, false)), (gpu(true, true), gpu(false, true)));
        assert_eq!((choice(1 << 20, true), choice(1 << 21, true)), (Choice::Rows, gpu(false, true)));
        let floats = Choice::default_for(Shape { sum: Sum::Floats, ..shape(1 << 20, 256) }, true);
        assert_eq!(floats, gpu(true, true));
    }

    #[test]
    fn more_elements_than_a_binding_can_have_take_windows() {
        let long = Shape { window: Some(4096), ..shape(10_000, 10) };
        let parts = |choice, sum| {
            let part = |pass: &Pass| match pass {
                Pass::Count(Counting { part, .. }) | Pass::Rows { part, .. } => Some([part.begin, part.count]),
                _ => None,
            };
            plan(Shape { sum, ..long }, choice).passes.iter().filter_map(part).collect::<Vec<_>>()
        };
        let three = [[0, 4096], [4096, 4096], [8192, 1808]];
        assert_eq!(parts(atomics(true, true), Sum::Counts), three);
        assert_eq!(parts(Choice::Rows, Sum::Integers), three);
        assert_eq!(parts(atomics(true, true), Sum::Floats), [three, three].concat());
    }

    #[test]
    fn elements_are_read_and_bins_written_once() {
        let cost = plan(shape(1000, 10), atomics(true, true)).cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops, cost.bytes), (2, 0, 0, 4040));
        let floats = plan(Shape { sum: Sum::Floats, ..shape(1000, 10) }, atomics(true, true)).cost();
        assert_eq!((floats.passes, floats.scratch, floats.flops, floats.bytes), (4, 120, 1000, 8040));
        assert_eq!(plan(shape(0, 10), Choice::Rows).passes, [Pass::Clear]);
    }
}
