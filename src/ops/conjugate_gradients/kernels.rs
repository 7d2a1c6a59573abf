//! The kernels of the solver between products and sums. Scalars stay on the device, in three small arrays.
//!
//! | array | elements |
//! |---|---|
//! | `sums` | results of reductions: [`PQ`], [`RR`], [`RZ`], [`BB`], [`LAST`] |
//! | `state` | numbers that iterations pass on: [`OLD_RZ`], [`BETA`], [`DIVISOR`], [`TARGET`] |
//! | `flags` | [`STATUS`], [`ITERATIONS`], [`ROW`] |

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::reduction::ReductionKernel;

/// `p . a p`.
pub(super) const PQ: usize = 0;
/// `r . r`.
pub(super) const RR: usize = 1;
/// `r . z`, with the preconditioned residual `z`.
pub(super) const RZ: usize = 2;
/// `b . b`, of the scaled `b`.
pub(super) const BB: usize = 3;
/// `r . r` of the residual that is computed from `x`.
pub(super) const LAST: usize = 4;
pub(super) const SUMS: usize = 5;

/// `r . z` of the iteration before.
const OLD_RZ: usize = 0;
/// The share of the old direction in the next one.
const BETA: usize = 1;
/// The greatest absolute value of `b`, by which residuals are divided.
const DIVISOR: usize = 2;
/// The square of the tolerance, and after the start the greatest `r . r` that meets it.
pub(super) const TARGET: usize = 3;
pub(super) const STATE: usize = 4;

/// The position of the status: one of the constants below.
pub(super) const STATUS: usize = 0;
/// The position of the number of iterations.
pub(super) const ITERATIONS: usize = 1;
/// The position of the first row whose diagonal element is not above 0, or [`NO_ROW`].
pub(super) const ROW: usize = 2;
pub(super) const FLAGS: usize = 3;

/// Some iterations are left: all other states make iterations change nothing.
pub(super) const RUNNING: u32 = 0;
pub(super) const CONVERGED: u32 = 1;
pub(super) const EXHAUSTED: u32 = 2;
pub(super) const BROKEN: u32 = 3;
pub(super) const NOT_FINITE: u32 = 4;
pub(super) const NO_ROW: u32 = u32::MAX;

/// The constants above as declarations of WGSL.
fn constants() -> String {
    let places = [("PQ", PQ), ("RR", RR), ("RZ", RZ), ("BB", BB)];
    let of_state = [("OLD_RZ", OLD_RZ), ("BETA", BETA), ("SCALE", DIVISOR), ("TARGET", TARGET)];
    let of_flags = [("STATUS", STATUS), ("ITERATIONS", ITERATIONS)];
    let places = places.into_iter().chain(of_state).chain(of_flags).map(|(name, at)| (name, at as u32));
    let running = [("RUNNING", RUNNING), ("CONVERGED", CONVERGED), ("EXHAUSTED", EXHAUSTED)];
    let failed = [("BROKEN", BROKEN), ("NOT_FINITE", NOT_FINITE)];
    let all = places.chain(running).chain(failed);
    all.map(|(name, value)| format!("const {name} = {value}u;\n")).collect()
}

/// An element divided by the scale, unless all elements are 0 or NaN.
const SCALED: &str = "fn scaled(x: T, scale: T) -> T { if scale == T(0) { return x; } return x / scale; }
fn square(x: T) -> T { return x * x; }
";

type Elementwise = LazyLock<ElementwiseKernel>;
type Reduction = LazyLock<ReductionKernel>;

fn elementwise(name: &str, inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    let kernel = ElementwiseKernel::new(inputs, outputs, operation).expect("the parameters of the solver are valid");
    kernel.name(&format!("{name} of conjugate gradients")).preamble(&constants())
}

fn reduction(name: &str, inputs: &str, output: &str) -> ReductionKernel {
    let kernel = ReductionKernel::new(inputs, output).expect("the parameters of the solver are valid");
    kernel.name(&format!("{name} of conjugate gradients")).combine("a + b")
}

/// The greatest absolute value.
pub(super) static SCALE: Reduction =
    LazyLock::new(|| reduction("scale", "x: T", "y: T").map("abs(x)").combine("max(a, b)").identity("T(0)"));

/// The sum of squares of the scaled difference `x - y`.
pub(super) static SQUARES: Reduction = LazyLock::new(|| {
    let squares = reduction("squares", "x: T, y: T, raw scale: T", "z: T").preamble(SCALED);
    squares.map("square(scaled(x - y, scale[0]))").identity("T(0)")
});

/// `r . z`, where `z = r / d`.
pub(super) static WEIGHTED: Reduction =
    LazyLock::new(|| reduction("weighted squares", "r: T, d: T", "z: T").map("r * r / d").identity("T(0)"));

/// The first row whose diagonal element is not above 0.
pub(super) static FIRST_ROW: Reduction = LazyLock::new(|| {
    let rows = reduction("diagonal", "d: T", "row: u32").map("select(i, 0xffffffffu, d > T(0))");
    rows.combine("min(a, b)").identity("0xffffffffu")
});

/// Adds the diagonal entries among `length` entries of each row, from the entry `first` of the row on.
pub(super) static DIAGONAL: Elementwise = LazyLock::new(|| {
    let inputs = "raw offsets: u32, raw columns: u32, raw values: T, first: u32, length: u32, d: T";
    let operation = "let start = min(offsets[i] + first, offsets[i + 1u]);
        let last = start + min(offsets[i + 1u] - start, length);
        for (var at = start; at < last; at++) { if columns[at] == i { d += values[at]; } }";
    elementwise("diagonal", inputs, "d: T", operation)
});

/// The first residual and direction. With `b = 0`, the solution is 0.
pub(super) static START: Elementwise = LazyLock::new(|| {
    let operation = "if scale[0] == T(0) { r = T(0); x = T(0); } else { r = (b - q) / scale[0]; }
        p = r / d;";
    elementwise("start", "b: T, q: T, d: T, raw scale: T, x: T", "x: T, r: T, p: T", operation)
});

/// Sets state and flags after the start.
pub(super) static BEGIN: Elementwise = LazyLock::new(|| {
    let inputs = "raw sums: T, raw scale: T, most: u32, preconditioned: u32, raw state: T, raw flags: u32";
    let operation = "state[OLD_RZ] = select(sums[RR], sums[RZ], preconditioned != 0u);
        state[SCALE] = scale[0];
        state[TARGET] *= sums[BB];
        flags[ITERATIONS] = 0u;
        flags[STATUS] = NOT_FINITE;
        if sums[BB] > T(0) {
            if sums[RR] <= state[TARGET] {
                flags[STATUS] = CONVERGED;
            } else if sums[RR] > T(0) && sums[RR] - sums[RR] == T(0) {
                flags[STATUS] = select(RUNNING, EXHAUSTED, most == 0u);
            }
        } else if sums[BB] == T(0) && scale[0] == T(0) {
            flags[STATUS] = CONVERGED;
        }";
    elementwise("first test", inputs, "raw state: T, raw flags: u32", operation)
});

/// Takes a step of `alpha` along the direction.
pub(super) static ADVANCE: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING && sums[PQ] > T(0) {
            let alpha = state[OLD_RZ] / sums[PQ];
            x += alpha * state[SCALE] * p;
            r -= alpha * q;
        }";
    elementwise("step", "p: T, q: T, raw sums: T, raw state: T, raw flags: u32, x: T, r: T", "x: T, r: T", operation)
});

/// Counts an iteration, and tests whether it was the last one.
pub(super) static TEST: Elementwise = LazyLock::new(|| {
    let inputs = "raw sums: T, most: u32, preconditioned: u32, raw state: T, raw flags: u32";
    let operation = "if flags[STATUS] == RUNNING {
            flags[ITERATIONS] += 1u;
            if sums[PQ] > T(0) {
                let rz = select(sums[RR], sums[RZ], preconditioned != 0u);
                state[BETA] = rz / state[OLD_RZ];
                state[OLD_RZ] = rz;
                if sums[RR] <= state[TARGET] {
                    flags[STATUS] = CONVERGED;
                } else if flags[ITERATIONS] >= most {
                    flags[STATUS] = EXHAUSTED;
                }
            } else {
                flags[STATUS] = BROKEN;
            }
        }";
    elementwise("test", inputs, "raw state: T, raw flags: u32", operation)
});

/// The next direction.
pub(super) static DIRECTION: Elementwise = LazyLock::new(|| {
    let operation = "if flags[STATUS] == RUNNING { p = r / d + state[BETA] * p; }";
    elementwise("direction", "r: T, d: T, raw state: T, raw flags: u32, p: T", "p: T", operation)
});
