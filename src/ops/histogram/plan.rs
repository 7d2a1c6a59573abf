//! The passes of a histogram. This module is pure.

use super::super::plan::Plan;

/// The counters in the memory of a workgroup.
const SHARED: u64 = 4096;
/// The invocations of a workgroup that the CPU runs together, each with counters of its own.
const LANES: u64 = 8;
/// Counters of all invocations on the CPU: 4 MiB, which its caches hold.
const MAX_ROWS: u64 = 1 << 20;

/// The sizes of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of elements, of one word each.
    pub(super) count: u64,
    pub(super) bins: u64,
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Zeros in the result.
    Clear,
    /// Counts in workgroup memory, in this many copies of each bin.
    Workgroups { groups: u64, chunk: u64, copies: u64 },
    /// Counts in the result.
    Elements,
    /// Zeros in the counters of each invocation.
    ClearRows,
    /// Counts in those.
    Rows { groups: u64, chunk: u64 },
    /// Sums those.
    SumRows { rows: u64 },
}

/// The choice between several ways to do the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Counters in workgroup memory, if there is enough of it.
    Workgroups,
    /// Atomic additions to the result.
    Elements,
    /// Counters for each invocation, if they do not become too many.
    Rows,
}

impl Choice {
    /// The choice without tuning.
    pub(super) fn default_for(shape: Shape, cpu: bool) -> Self {
        match cpu {
            // Atomics and barriers take several times as long as the additions.
            true if LANES * shape.bins <= MAX_ROWS => Self::Rows,
            false if shape.bins <= SHARED => Self::Workgroups,
            _ => Self::Elements,
        }
    }
}

pub(super) fn plan(shape: Shape, choice: Choice) -> Plan<Pass> {
    let Shape { count, bins } = shape;
    let bytes = 4 * (count + bins);
    if count == 0 || bins == 0 {
        return Plan { passes: vec![Pass::Clear], scratch: 0, flops: 0, bytes };
    }
    let (passes, scratch) = match choice {
        Choice::Workgroups if bins <= SHARED => {
            // Enough workgroups for all of a large device, of enough elements that clearing and adding cost little.
            let chunk = count.div_ceil(2048).next_multiple_of(1024).max(4096);
            let copies = prev_power_of_two(SHARED / bins).min(32);
            (vec![Pass::Clear, Pass::Workgroups { groups: count.div_ceil(chunk), chunk, copies }], 0)
        }
        Choice::Rows if LANES * bins <= MAX_ROWS => {
            // Rows are cleared and added up: parts have several times as many elements as bins.
            let most = (MAX_ROWS / (LANES * bins)).min(64);
            let groups = (count / (8 * LANES * bins).max(1024)).clamp(1, most);
            let chunk = count.div_ceil(groups).next_multiple_of(LANES);
            let groups = count.div_ceil(chunk);
            let rows = LANES * groups;
            (vec![Pass::Clear, Pass::ClearRows, Pass::Rows { groups, chunk }, Pass::SumRows { rows }], 4 * rows * bins)
        }
        _ => (vec![Pass::Clear, Pass::Elements], 0),
    };
    Plan { passes, scratch, flops: 0, bytes }
}

fn prev_power_of_two(number: u64) -> u64 {
    1 << number.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_elements() {
        for count in [1, 2, 4095, 4096, 4097, 1 << 20, (1 << 26) + 1, 1 << 31] {
            for bins in [1, 2, 255, 4096, 4097, 100_000, 1 << 20] {
                for choice in [Choice::Workgroups, Choice::Elements, Choice::Rows] {
                    let plan = plan(Shape { count, bins }, choice);
                    for pass in &plan.passes {
                        if let Pass::Workgroups { groups, chunk, .. } | Pass::Rows { groups, chunk } = *pass {
                            assert!(
                                groups * chunk >= count && (groups - 1) * chunk < count,
                                "{count}, {bins}: {plan:?}"
                            );
                            assert!(groups <= 65_535 && groups * chunk < 1 << 32, "{count}, {bins}: {plan:?}");
                        }
                    }
                    assert!(plan.scratch <= 4 * MAX_ROWS, "{count}, {bins}: {plan:?}");
                }
            }
        }
    }

    #[test]
    fn few_bins_have_several_copies() {
        let copies = |bins| match plan(Shape { count: 1 << 20, bins }, Choice::Workgroups).passes[1] {
            Pass::Workgroups { copies, .. } => copies,
            _ => 0,
        };
        assert_eq!([1, 100, 128, 129, 256, 4096, 4097].map(copies), [32, 32, 32, 16, 16, 1, 0]);
    }

    #[test]
    fn each_kind_of_device_has_its_way() {
        let choice = |bins, cpu| Choice::default_for(Shape { count: 1 << 20, bins }, cpu);
        assert_eq!((choice(256, true), choice(256, false)), (Choice::Rows, Choice::Workgroups));
        assert_eq!((choice(1 << 18, true), choice(4097, false)), (Choice::Elements, Choice::Elements));
    }

    #[test]
    fn elements_are_read_and_bins_written_once() {
        let cost = plan(Shape { count: 1000, bins: 10 }, Choice::Workgroups).cost();
        assert_eq!((cost.passes, cost.scratch, cost.flops, cost.bytes), (2, 0, 0, 4040));
        assert_eq!(plan(Shape { count: 0, bins: 10 }, Choice::Rows).passes, [Pass::Clear]);
    }
}
