//! The launches of a solve with a triangle. This module is pure.

use super::super::rows::plan::Target;

/// The number of invocations of a workgroup of a chain.
const GROUP: u64 = 256;
/// The greatest number of rows times lanes of a level in a chain: a workgroup that takes four turns with a level takes
/// about as long as a launch.
const MAX_IN_CHAIN: u64 = 4 * GROUP;
/// The greatest number of rows of a level that an invocation computes alone, on the CPU: the time of a launch there.
const MAX_IN_WALK: u64 = 512;

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Invocations compute one row each of the rows from the position `first` on.
    Rows { first: u32, last: u32 },
    /// Lanes compute a row together.
    Teams { first: u32, last: u32 },
    /// A workgroup computes the levels from `first` on.
    Chain { first: u32, last: u32 },
    /// An invocation computes the rows from the position `first` on.
    Walk { first: u32, last: u32 },
}

/// The numbers of entries on which loops depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entries {
    /// The mean number of entries of a row.
    pub(super) mean: u64,
    /// The greatest number of iterations for a row.
    pub(super) longest: u64,
}

/// The number of invocations that compute a row together, a power of two; none if loops would have too many iterations.
pub(super) fn lanes(entries: Entries, target: Target) -> Option<u32> {
    let preferred = if target.software { 1 } else { (entries.mean / 2).clamp(1, 32) };
    // Half of the iterations are left for levels.
    let needed = entries.longest.div_ceil((target.max_iterations() / 2).max(1)).max(1);
    let lanes = preferred.max(needed).next_power_of_two();
    let lanes = if preferred >= needed && !preferred.is_power_of_two() { lanes / 2 } else { lanes };
    (lanes <= GROUP).then_some(lanes as u32)
}

/// Plans the launches for levels that begin at these positions.
pub(super) fn passes(bounds: &[u32], longest: u64, lanes: u32, target: Target) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::new();
    // The number of iterations of the chain so far.
    let mut iterations = 0;
    for (level, pair) in bounds.windows(2).enumerate() {
        let (first, last, level) = (pair[0], pair[1], level as u32);
        let rows = u64::from(last - first);
        if target.strips && rows <= MAX_IN_WALK {
            match passes.last_mut() {
                Some(Pass::Walk { last: end, .. }) => *end = last,
                _ => passes.push(Pass::Walk { first, last }),
            }
            continue;
        }
        let work = rows * u64::from(lanes);
        let turns = work.div_ceil(GROUP) * (longest.div_ceil(u64::from(lanes)) + 10) + 1;
        if !target.strips && work <= MAX_IN_CHAIN && turns <= target.max_iterations() {
            iterations += turns;
            match passes.last_mut() {
                Some(Pass::Chain { last: end, .. }) if iterations <= target.max_iterations() => *end = level + 1,
                _ => {
                    iterations = turns;
                    passes.push(Pass::Chain { first: level, last: level + 1 });
                }
            }
            continue;
        }
        passes.push(if lanes > 1 { Pass::Teams { first, last } } else { Pass::Rows { first, last } });
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const CPU: Target = Target { software: true, strips: true };
    const LLVMPIPE: Target = Target { software: true, strips: false };

    #[test]
    fn small_levels_share_a_launch() {
        let bounds = [0, 1, 3, 2000, 2001, 2002];
        let expected =
            [Pass::Chain { first: 0, last: 2 }, Pass::Rows { first: 3, last: 2000 }, Pass::Chain { first: 3, last: 5 }];
        assert_eq!(passes(&bounds, 7, 1, GPU), expected);
        let expected = [
            Pass::Walk { first: 0, last: 3 },
            Pass::Rows { first: 3, last: 2000 },
            Pass::Walk { first: 2000, last: 2002 },
        ];
        assert_eq!(passes(&bounds, 7, 1, CPU), expected);
        assert_eq!(passes(&[0, 1024], 7, 1, GPU), [Pass::Chain { first: 0, last: 1 }]);
        assert_eq!(passes(&[0, 1025], 7, 1, GPU), [Pass::Rows { first: 0, last: 1025 }]);
        assert_eq!(passes(&[0, 512], 7, 2, GPU), [Pass::Chain { first: 0, last: 1 }]);
        assert_eq!(passes(&[0, 513], 7, 2, GPU), [Pass::Teams { first: 0, last: 513 }]);
        assert_eq!(passes(&[0, 512], 7, 1, CPU), [Pass::Walk { first: 0, last: 512 }]);
        assert_eq!(passes(&[0, 513], 7, 1, CPU), [Pass::Rows { first: 0, last: 513 }]);
        assert!(passes(&[0], 0, 1, GPU).is_empty());
    }

    #[test]
    fn chains_end_before_loops_do() {
        let levels: Vec<u32> = (0..=10_000).collect();
        let all = passes(&levels, 20, 1, LLVMPIPE);
        assert_eq!(all[..2], [Pass::Chain { first: 0, last: 1935 }, Pass::Chain { first: 1935, last: 3870 }]);
        assert_eq!(all.last(), Some(&Pass::Chain { first: 9675, last: 10_000 }));
        assert_eq!(passes(&levels, 20, 1, GPU), [Pass::Chain { first: 0, last: 10_000 }]);
        assert_eq!(passes(&[0, 1], 59_990, 1, LLVMPIPE), [Pass::Rows { first: 0, last: 1 }]);
    }

    #[test]
    fn lanes_follow_the_lengths_of_rows() {
        let of = |mean, longest, target| lanes(Entries { mean, longest }, target);
        assert_eq!(
            [of(0, 0, GPU), of(3, 9, GPU), of(7, 9, GPU), of(13, 99, GPU)],
            [Some(1), Some(1), Some(2), Some(4)]
        );
        assert_eq!(of(1000, 1 << 20, GPU), Some(32));
        assert_eq!(of(1000, 1 << 20, CPU), Some(1));
        assert_eq!([of(1, 30_000, LLVMPIPE), of(1, 30_001, LLVMPIPE)], [Some(1), Some(2)]);
        assert_eq!([of(1, 7_680_000, LLVMPIPE), of(1, 7_680_001, LLVMPIPE)], [Some(256), None]);
    }
}
