//! The kernels of `BiCGSTAB` between products and sums.

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::solving::kernels::{Elementwise, OWN_STATE, OWN_SUMS, constants, elementwise};

/// `r0 . a p`, in the sums.
pub(super) const RV: usize = OWN_SUMS;
/// `a s . s`.
pub(super) const TS: usize = OWN_SUMS + 1;
/// `a s . a s`.
pub(super) const TT: usize = OWN_SUMS + 2;
/// `r0 . r`.
pub(super) const RHO: usize = OWN_SUMS + 3;
pub(super) const SUMS: usize = OWN_SUMS + 4;

/// `r0 . r` of the iteration before, in the state.
const OLD_RHO: usize = OWN_STATE;
/// The share of the old direction in the next one.
const BETA: usize = OWN_STATE + 1;
/// The length of the second step.
const OMEGA: usize = OWN_STATE + 2;
pub(super) const STATE: usize = OWN_STATE + 3;

fn kernel(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let sums = [("RV", RV), ("TS", TS), ("TT", TT), ("RHO", RHO)];
    let state = [("OLD_RHO", OLD_RHO), ("BETA", BETA), ("OMEGA", OMEGA)];
    let own: Vec<(&str, usize)> = sums.into_iter().chain(state).collect();
    elementwise(&format!("{name} of bicgstab"), inputs, outputs, operation, &(constants(&own) + FUNCTIONS))
}

/// Whether the first step can be computed, and the length of the second one: none if `a s` is 0.
const FUNCTIONS: &str = "fn divides(x: T) -> bool { return abs(x) > T(0) && x - x == T(0); }
fn second(ts: T, tt: T) -> T { if tt == T(0) { return T(0); } return ts / tt; }
";

/// Sets the state of the first iteration.
pub(super) static BEGIN: Elementwise = LazyLock::new(|| {
    kernel("begin", "raw sums: T, raw state: T", "raw state: T", "state[OLD_RHO] = sums[RR]; state[OMEGA] = T(0)")
});

/// The first step of the residual, along the product `v` of the direction.
pub(super) static HALF: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING && divides(sums[RV]) { r -= state[OLD_RHO] / sums[RV] * v; }";
    kernel("first step", "v: T, raw sums: T, raw state: T, raw flags: u32, r: T", "r: T", operation)
});

/// Both steps of the solution, along the preconditioned direction and residual.
pub(super) static ADVANCE: Elementwise = LazyLock::new(|| {
    let inputs = "p: T, s: T, raw sums: T, raw state: T, raw flags: u32, x: T";
    let operation = "if flags[STATUS] == RUNNING && divides(sums[RV]) {
            x += state[SCALE] * (state[OLD_RHO] / sums[RV] * p + second(sums[TS], sums[TT]) * s);
        }";
    kernel("step", inputs, "x: T", operation)
});

/// The second step of the residual, along the product `t` of the residual.
pub(super) static REST: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING && divides(sums[RV]) { r -= second(sums[TS], sums[TT]) * t; }";
    kernel("second step", "t: T, raw sums: T, raw flags: u32, r: T", "r: T", operation)
});

/// Counts an iteration, and tests whether it was the last one.
pub(super) static TEST: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING {
            flags[ITERATIONS] += 1u;
            let omega = second(sums[TS], sums[TT]);
            if !divides(sums[RV]) {
                flags[STATUS] = BROKEN;
                flags[REASON] = RV;
            } else if sums[RR] <= state[TARGET] {
                flags[STATUS] = CONVERGED;
            } else if flags[ITERATIONS] >= most {
                flags[STATUS] = EXHAUSTED;
            } else if !divides(omega) {
                flags[STATUS] = BROKEN;
                flags[REASON] = TS;
            } else if !divides(sums[RHO]) {
                flags[STATUS] = BROKEN;
                flags[REASON] = RHO;
            }
            state[BETA] = sums[RHO] / state[OLD_RHO] * (state[OLD_RHO] / sums[RV] / omega);
            state[OLD_RHO] = sums[RHO];
            state[OMEGA] = omega;
        }";
    kernel("test", "raw sums: T, most: u32, raw state: T, raw flags: u32", "raw state: T, raw flags: u32", operation)
});

/// The next direction.
pub(super) static DIRECTION: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING { p = r + state[BETA] * (p - state[OMEGA] * v); }";
    kernel("direction", "r: T, v: T, raw state: T, raw flags: u32, p: T", "p: T", operation)
});
