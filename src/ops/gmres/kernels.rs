//! The kernels of GMRES between products and sums.
//!
//! `small` has the numbers of a cycle of at most `m` iterations, in this order: the triangle `R`, column by column with
//! `m` elements each; the cosines and the sines of the rotations; the `m + 1` elements of the rotated right side; the
//! coefficients of the vectors in the solution.

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::solving::kernels::{
    Elementwise, OWN_FLAGS, OWN_STATE, OWN_SUMS, Reduction, constants, elementwise, reduction,
};

/// The square of the length of the new vector, in the sums.
pub(super) const WW: usize = OWN_SUMS;
pub(super) const SUMS: usize = OWN_SUMS + 1;

/// The square of the residual before the cycle, in the state.
const OLD_RR: usize = OWN_STATE;
/// The number by which an iteration could not divide.
pub(super) const PIVOT: usize = OWN_STATE + 1;
pub(super) const STATE: usize = OWN_STATE + 2;

/// The number of iterations of the cycle so far, in the flags.
const STEPS: usize = OWN_FLAGS;
/// Whether the cycle has ended.
const DONE: usize = OWN_FLAGS + 1;
pub(super) const FLAGS: usize = OWN_FLAGS + 2;

/// The number of elements of `small` for cycles of at most `m` iterations.
pub(super) fn small(m: usize) -> usize {
    m * m + 4 * m + 1
}

fn kernel(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let own = [("WW", WW), ("OLD_RR", OLD_RR), ("PIVOT", PIVOT), ("STEPS", STEPS), ("DONE", DONE)];
    elementwise(&format!("{name} of gmres"), inputs, outputs, operation, &constants(&own))
}

/// Sets the state of the first cycle after a start. The first element of the right side is the length of the residual.
pub(super) static BEGIN: Elementwise = LazyLock::new(|| {
    let operation = "flags[STEPS] = 0u;
        flags[DONE] = 0u;
        state[OLD_RR] = sums[RR];
        small[m * m + 2u * m] = sqrt(sums[RR]);";
    let inputs = "raw sums: T, m: u32, raw state: T, raw flags: u32, raw small: T";
    kernel("begin", inputs, "raw state: T, raw flags: u32, raw small: T", operation)
});

/// A vector of length 1, from a vector and the square of its length.
pub(super) static NORMALISE: Elementwise =
    LazyLock::new(|| kernel("normalise", "w: T, raw sums: T, place: u32", "v: T", "v = w / sqrt(sums[place])"));

/// The products of a vector with each of the vectors before it.
pub(super) static PRODUCTS: Reduction =
    LazyLock::new(|| reduction("products of gmres", "v: T, w: T", "h: T").map("v * w").identity("T(0)"));

/// Subtracts the shares of `count` vectors from a vector.
pub(super) static SUBTRACT: Elementwise = LazyLock::new(|| {
    let operation = "for (var k = 0u; k < count; k++) { w -= h[k] * v[k * n + i]; }";
    kernel("subtract", "raw v: T, raw h: T, count: u32, w: T", "w: T", operation)
});

/// Rotates the column of iteration `j` of the cycle, counts it, and tests whether the cycle ends.
pub(super) static ROTATE: Elementwise = LazyLock::new(|| {
    let inputs =
        "raw h: T, raw more: T, raw sums: T, j: u32, m: u32, most: u32, raw state: T, raw flags: u32, raw small: T";
    let operation = "if flags[STATUS] == RUNNING && flags[DONE] == 0u {
            flags[ITERATIONS] += 1u;
            let column = j * m;
            let cosines = m * m;
            let sines = cosines + m;
            let right = sines + m;
            var a = h[0] + more[0];
            for (var k = 0u; k < j; k++) {
                let below = h[k + 1u] + more[k + 1u];
                small[column + k] = small[cosines + k] * a + small[sines + k] * below;
                a = small[cosines + k] * below - small[sines + k] * a;
            }
            let b = sqrt(sums[WW]);
            let size = max(abs(a), b);
            if size > T(0) && size - size == T(0) {
                let pivot = size * sqrt((a / size) * (a / size) + (b / size) * (b / size));
                small[cosines + j] = a / pivot;
                small[sines + j] = b / pivot;
                small[column + j] = pivot;
                let old = small[right + j];
                let rest = -small[sines + j] * old;
                small[right + j + 1u] = rest;
                small[right + j] = small[cosines + j] * old;
                flags[STEPS] = j + 1u;
                if rest * rest <= state[TARGET] || flags[ITERATIONS] >= most { flags[DONE] = 1u; }
            } else {
                state[PIVOT] = size;
                flags[STATUS] = BROKEN;
                flags[DONE] = 1u;
            }
        }";
    kernel("rotation", inputs, "raw state: T, raw flags: u32, raw small: T", operation)
});

/// Solves the triangle for the coefficients of the vectors.
pub(super) static COEFFICIENTS: Elementwise = LazyLock::new(|| {
    let operation = "let right = m * m + 2u * m;
        let result = right + m + 1u;
        for (var left = flags[STEPS]; left > 0u; left--) {
            let row = left - 1u;
            var rest = small[right + row];
            for (var k = left; k < flags[STEPS]; k++) { rest -= small[k * m + row] * small[result + k]; }
            small[result + row] = rest / small[row * m + row];
        }";
    kernel("coefficients", "m: u32, raw flags: u32, raw small: T", "raw small: T", operation)
});

/// The vectors of a cycle, added up with their coefficients.
pub(super) static COMBINE: Elementwise = LazyLock::new(|| {
    let operation = "let result = m * m + 3u * m + 1u;
        y = T(0);
        for (var k = 0u; k < flags[STEPS]; k++) { y += small[result + k] * v[k * n + i]; }";
    kernel("sum", "raw v: T, raw small: T, raw flags: u32, m: u32", "y: T", operation)
});

/// The step of the solution. A cycle of no iterations changes nothing.
pub(super) static ADVANCE: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STEPS] > 0u { x += state[SCALE] * y; }";
    kernel("step", "y: T, raw state: T, raw flags: u32, x: T", "x: T", operation)
});

/// Tests whether a cycle was the last one, by the residual of the solution.
pub(super) static TEST: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING {
            if sums[RR] <= state[TARGET] {
                flags[STATUS] = CONVERGED;
            } else if flags[ITERATIONS] >= most {
                flags[STATUS] = EXHAUSTED;
            } else if !(sums[RR] < T(0.998) * state[OLD_RR]) {
                flags[STATUS] = STAGNATED;
            }
        }
        state[OLD_RR] = sums[RR];
        small[m * m + 2u * m] = sqrt(sums[RR]);
        flags[STEPS] = 0u;
        flags[DONE] = 0u;";
    let inputs = "raw sums: T, m: u32, most: u32, raw state: T, raw flags: u32, raw small: T";
    kernel("test", inputs, "raw state: T, raw flags: u32, raw small: T", operation)
});
