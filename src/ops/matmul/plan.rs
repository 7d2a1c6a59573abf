//! The passes of a matrix product.

use anywarp_backend::{Caps, Precision, Routine};

use super::super::plan::Plan;

/// The rows and columns of `c` that one workgroup of the kernels computes.
const TILE: u32 = 64;

/// The sizes of a product: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) m: u32,
    pub(super) k: u32,
    pub(super) n: u32,
}

/// One command of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Fills `c` with zeros, as there are no products to add.
    Zeros,
    /// The vendor's library.
    Library(Precision),
    /// The tiled kernel, in this grid.
    Tiles { groups: [u32; 2] },
}

/// The implementation of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Library(Precision),
    Tiles,
}

impl Choice {
    /// The choice without tuning: the library if it has the precision or a higher one.
    pub(super) fn default_for(caps: &Caps, wanted: Precision) -> Self {
        let exact = if wanted == Precision::Tf32 { Precision::F32 } else { wanted };
        let routine =
            [wanted, exact].into_iter().find(|precision| caps.library.contains(&Routine::MatrixProduct(*precision)));
        routine.map_or(Self::Tiles, Self::Library)
    }
}

/// The passes of a product with elements of `element` bytes.
pub(super) fn plan(sizes: Sizes, element: u64, choice: Choice) -> Plan<Pass> {
    let Sizes { m, k, n } = sizes;
    let [rows, depth, columns] = [m, k, n].map(u64::from);
    if m == 0 || n == 0 {
        return Plan::nothing();
    }
    let pass = match choice {
        _ if k == 0 => Pass::Zeros,
        Choice::Library(precision) => Pass::Library(precision),
        Choice::Tiles => Pass::Tiles { groups: tile_grid(m, n) },
    };
    let elements = (rows * depth).saturating_add(depth * columns).saturating_add(rows * columns);
    Plan {
        passes: vec![pass],
        scratch: 0,
        flops: (rows * columns).saturating_mul(2 * depth),
        bytes: elements.saturating_mul(element),
    }
}

/// The grid of workgroups that computes `m` x `n` elements.
pub(super) fn tile_grid(m: u32, n: u32) -> [u32; 2] {
    [n.div_ceil(TILE), m.div_ceil(TILE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_counts_two_operations_for_each_step_of_depth() {
        let plan = plan(Sizes { m: 100, k: 30, n: 65 }, 4, Choice::Tiles);
        assert_eq!(plan.passes, [Pass::Tiles { groups: [2, 2] }]);
        assert_eq!((plan.flops, plan.bytes), (2 * 100 * 30 * 65, 4 * (100 * 30 + 30 * 65 + 100 * 65)));
    }

    #[test]
    fn nothing_to_compute_takes_no_pass_and_nothing_to_add_takes_a_fill() {
        assert!(plan(Sizes { m: 0, k: 5, n: 7 }, 4, Choice::Tiles).passes.is_empty());
        assert_eq!(plan(Sizes { m: 3, k: 0, n: 7 }, 4, Choice::Library(Precision::F32)).passes, [Pass::Zeros]);
    }

    #[test]
    fn the_largest_sizes_do_not_overflow() {
        let plan = plan(Sizes { m: u32::MAX, k: u32::MAX, n: u32::MAX }, 4, Choice::Tiles);
        assert_eq!(plan.flops, u64::MAX);
    }

    #[test]
    fn tf32_falls_back_to_a_higher_precision() {
        let mut caps = Caps::webgpu_baseline();
        assert_eq!(Choice::default_for(&caps, Precision::Tf32), Choice::Tiles);
        caps.library = vec![Routine::MatrixProduct(Precision::F32)];
        assert_eq!(Choice::default_for(&caps, Precision::Tf32), Choice::Library(Precision::F32));
        assert_eq!(Choice::default_for(&caps, Precision::F16), Choice::Tiles);
    }
}
