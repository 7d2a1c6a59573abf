//! The pass of an integer product.

use super::super::plan::Plan;

/// The sizes and the form of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) m: u32,
    pub(super) k: u32,
    pub(super) n: u32,
    pub(super) batches: u32,
    pub(super) transposed: [bool; 2],
    pub(super) shared: [bool; 2],
}

/// A kernel, by its workgroups: tiles of 64 x 64 of a product, and products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) tiles_x: u32,
    pub(super) groups: [u32; 2],
}

/// The rows, and the columns, of a tile.
const TILE: u32 = 64;

/// The greatest depth for a number of iterations: a step of 32 depths takes at most ten.
pub(super) fn max_depth(iterations: u64) -> u64 {
    (iterations / 10).saturating_mul(32)
}

/// The passes of a product.
pub(super) fn plan(shape: &Shape) -> Plan<Pass> {
    let Shape { m, k, n, batches, shared, .. } = *shape;
    if m == 0 || n == 0 || batches == 0 {
        return Plan::nothing();
    }
    let tiles = [n, m].map(|size| size.div_ceil(TILE));
    // The limit of the elements of `c` keeps the tiles within 32 bits, and the sums below within 64.
    let groups = [tiles[0].saturating_mul(tiles[1]), batches];
    let [m, k, n, batches] = [m, k, n, batches].map(u64::from);
    let count = |shared: bool| if shared { 1 } else { batches };
    let of_c = (m * n).saturating_mul(batches);
    let of_factors = (m * k).saturating_mul(count(shared[0])).saturating_add((k * n).saturating_mul(count(shared[1])));
    Plan {
        passes: vec![Pass { tiles_x: tiles[0], groups }],
        scratch: 0,
        flops: of_c.saturating_mul(2 * k),
        bytes: of_factors.saturating_add(of_c.saturating_mul(4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Shape = Shape { m: 0, k: 0, n: 0, batches: 1, transposed: [false; 2], shared: [false; 2] };

    #[test]
    fn a_workgroup_for_each_tile() {
        let groups =
            |m, k, n, batches| plan(&Shape { m, k, n, batches, ..FORM }).passes.first().map(|pass| pass.groups);
        assert_eq!(groups(64, 0, 64, 1), Some([1, 1]));
        assert_eq!(groups(65, 1, 128, 3), Some([4, 3]));
        assert_eq!(groups(1, 9, 129, 1), Some([3, 1]));
        for [m, n, batches] in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
            assert_eq!(plan(&Shape { m, n, batches, ..FORM }), Plan::nothing());
        }
    }

    #[test]
    fn costs() {
        let shape = Shape { m: 10, k: 20, n: 30, batches: 4, ..FORM };
        let cost = plan(&Shape { shared: [true, false], ..shape }).cost();
        assert_eq!((cost.flops, cost.bytes), (4 * 2 * 6000, 200 + 4 * 600 + 4 * 4 * 300));
        let most = (1 << 31) - 1;
        plan(&Shape { m: most, k: most, n: most, batches: most, ..FORM });
    }
}
