//! The number of blocks for a number of workgroups, as pure functions.

/// The largest number of blocks in y, and in z, that CUDA can launch in one grid.
const MAX_YZ: u32 = 65_535;
/// The largest number of blocks in x that CUDA can launch in one grid.
const MAX_X: u32 = i32::MAX as u32;

/// Returns whether CUDA can launch this many blocks in one grid.
pub(crate) fn is_direct([x, y, z]: [u32; 3]) -> bool {
    x <= MAX_X && y <= MAX_YZ && z <= MAX_YZ
}

/// Returns whether the grid is empty.
pub(crate) fn is_empty(groups: [u32; 3]) -> bool {
    groups.contains(&0)
}

/// Returns the number of blocks that loop over the workgroups: as many as the GPU runs at a time, or fewer if there are
/// fewer workgroups. `groups` is `None` where the number of workgroups is not known yet.
pub(crate) fn turns(groups: Option<[u32; 3]>, multiprocessors: u32, on_each: u32) -> u32 {
    let resident = multiprocessors.max(1).saturating_mul(on_each.max(1)).min(MAX_X);
    let wanted = groups.map_or(u128::MAX, |groups| groups.iter().map(|count| u128::from(*count)).product());
    u32::try_from(wanted).unwrap_or(u32::MAX).min(resident)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_grids_are_those_that_cuda_launches() {
        assert!(is_direct([MAX_X, 65_535, 65_535]) && is_direct([1, 1, 1]));
        assert!(!is_direct([1 << 31, 1, 1]) && !is_direct([1, 65_536, 1]) && !is_direct([1, 1, 65_536]));
        assert!(is_empty([3, 0, 1]) && !is_empty([1, 1, 1]));
    }

    #[test]
    fn blocks_fill_the_card_and_no_more() {
        assert_eq!(turns(None, 132, 8), 1056);
        assert_eq!(turns(Some([10, 2, 1]), 132, 8), 20);
        assert_eq!(turns(Some([u32::MAX; 3]), 132, 8), 1056);
        assert_eq!(turns(None, 0, 0), 1);
    }
}
