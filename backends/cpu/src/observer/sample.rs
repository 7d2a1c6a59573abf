//! Which workgroups of a dispatch are observed.

/// The workgroups between the first and the last that are observed.
const BETWEEN: u64 = 30;

/// The choice of observed workgroups: the first, the last, and thirty between them, one at a random place in each
/// thirtieth of the dispatch. The choice depends on the number of workgroups alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    count: u64,
}

impl Sample {
    /// The choice for a dispatch of `count` workgroups.
    pub(crate) fn new(count: u64) -> Self {
        Self { count }
    }

    /// Whether a workgroup is observed, by its number in order of execution.
    pub(crate) fn contains(self, workgroup: u64) -> bool {
        if self.count <= BETWEEN + 2 || workgroup == 0 || workgroup + 1 == self.count {
            return true;
        }
        let inner = self.count - 2;
        let stratum = u128::from(workgroup - 1) * u128::from(BETWEEN) / u128::from(inner);
        let start = |stratum: u128| (stratum * u128::from(inner)).div_ceil(u128::from(BETWEEN)) as u64;
        let (first, end) = (start(stratum), start(stratum + 1));
        workgroup - 1 == first + scrambled(stratum as u64) % (end - first).max(1)
    }
}

/// Returns well-mixed bits of a number: the finaliser of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
fn scrambled(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_two_workgroups_of_any_dispatch_are_observed() {
        for count in [33, 34, 61, 62, 63, 64, 100, 1000, 4097, 65_536] {
            let chosen: Vec<u64> = (0..count).filter(|workgroup| Sample::new(count).contains(*workgroup)).collect();
            assert_eq!(chosen.len() as u64, BETWEEN + 2, "{count}");
            assert_eq!((chosen.first(), chosen.last()), (Some(&0), Some(&(count - 1))), "{count}");
        }
    }

    #[test]
    fn all_workgroups_of_a_small_dispatch_are_observed() {
        assert!((0..32).all(|workgroup| Sample::new(32).contains(workgroup)));
    }
}
