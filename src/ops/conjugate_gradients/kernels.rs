//! The kernels of conjugate gradients between products and sums.

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::solving::kernels::{
    Elementwise, NO_ROW, OWN_STATE, OWN_SUMS, Reduction, constants, elementwise, reduction,
};

/// `p . a p`, in the sums.
pub(super) const PQ: usize = OWN_SUMS;
/// `r . z`, with the preconditioned residual `z`.
pub(super) const RZ: usize = OWN_SUMS + 1;
pub(super) const SUMS: usize = OWN_SUMS + 2;

/// `r . z` of the iteration before, in the state.
pub(super) const OLD_RZ: usize = OWN_STATE;
/// The share of the old direction in the next one.
pub(super) const BETA: usize = OWN_STATE + 1;
/// The factor of the direction in the step on the solution; 0 if the iteration takes none.
pub(super) const ALPHA: usize = OWN_STATE + 2;
pub(super) const STATE: usize = OWN_STATE + 3;

fn kernel(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let constants = constants(&[("OLD_RZ", OLD_RZ), ("BETA", BETA), ("ALPHA", ALPHA)]);
    elementwise(&format!("{name} of conjugate gradients"), inputs, outputs, operation, &constants)
}

/// `r . z`, where `z = r / d`.
pub(super) static WEIGHTED: Reduction = LazyLock::new(|| {
    reduction("weighted squares of conjugate gradients", "r: T, d: T", "z: T").map("r * r / d").identity("T(0)")
});

/// The first row whose diagonal element is not above 0.
pub(super) static FIRST_ROW: Reduction = LazyLock::new(|| {
    let none = format!("{NO_ROW:#x}u");
    let rows = reduction("diagonal of conjugate gradients", "d: T", "row: u32");
    rows.map(&format!("select(i, {none}, d > T(0))")).combine("min(a, b)").identity(none.as_str())
});

/// The first direction, with a diagonal.
pub(super) static FIRST: Elementwise = LazyLock::new(|| kernel("first direction", "r: T, d: T", "p: T", "p = r / d"));

/// Sets the state of the first iteration.
pub(super) static BEGIN: Elementwise = LazyLock::new(|| {
    kernel("begin", "raw sums: T, place: u32, raw state: T", "raw state: T", "state[OLD_RZ] = sums[place]")
});

/// The step on the solution, and the next direction from a residual that is divided by `d`. Both read the old direction.
pub(super) static DIRECTION: Elementwise = LazyLock::new(|| {
    let operation = "if state[ALPHA] != T(0) { x += state[ALPHA] * p; }
        if flags[STATUS] == RUNNING { p = r / d + state[BETA] * p; }";
    kernel("direction", "r: T, d: T, raw state: T, raw flags: u32, x: T, p: T", "x: T, p: T", operation)
});
