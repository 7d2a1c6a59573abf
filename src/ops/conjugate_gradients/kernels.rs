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
const OLD_RZ: usize = OWN_STATE;
/// The share of the old direction in the next one.
const BETA: usize = OWN_STATE + 1;
pub(super) const STATE: usize = OWN_STATE + 2;

fn kernel(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let constants = constants(&[("PQ", PQ), ("RZ", RZ), ("OLD_RZ", OLD_RZ), ("BETA", BETA)]);
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

/// Takes a step of `alpha` along the direction.
pub(super) static ADVANCE: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING && sums[PQ] > T(0) {
            let alpha = state[OLD_RZ] / sums[PQ];
            x += alpha * state[SCALE] * p;
            r -= alpha * q;
        }";
    kernel("step", "p: T, q: T, raw sums: T, raw state: T, raw flags: u32, x: T, r: T", "x: T, r: T", operation)
});

/// Counts an iteration, and tests whether it was the last one.
pub(super) static TEST: Elementwise = LazyLock::new(|| {
    let inputs = "raw sums: T, most: u32, place: u32, raw state: T, raw flags: u32";
    let operation = "if flags[STATUS] == RUNNING {
            flags[ITERATIONS] += 1u;
            if sums[PQ] > T(0) {
                state[BETA] = sums[place] / state[OLD_RZ];
                state[OLD_RZ] = sums[place];
                if sums[RR] <= state[TARGET] {
                    flags[STATUS] = CONVERGED;
                } else if flags[ITERATIONS] >= most {
                    flags[STATUS] = EXHAUSTED;
                }
            } else {
                flags[STATUS] = BROKEN;
                flags[REASON] = PQ;
            }
        }";
    kernel("test", inputs, "raw state: T, raw flags: u32", operation)
});

/// The next direction, from a residual that is divided by `d`.
pub(super) static DIRECTION: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING { p = r / d + state[BETA] * p; }";
    kernel("direction", "r: T, d: T, raw state: T, raw flags: u32, p: T", "p: T", operation)
});
