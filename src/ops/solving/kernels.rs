//! The kernels that all solvers share. Scalars stay on the device, in three small arrays.
//!
//! | array | elements |
//! |---|---|
//! | `sums` | results of reductions: [`RR`], [`BB`], and those of the solver from [`OWN_SUMS`] on |
//! | `state` | numbers that iterations pass on: [`DIVISOR`], [`TARGET`], [`TOLERANCE`], and those of the solver from [`OWN_STATE`] on |
//! | `flags` | [`STATUS`], [`ITERATIONS`], [`ROW`], [`REASON`], and those of the solver from [`OWN_FLAGS`] on |

use std::sync::LazyLock;

use super::super::elementwise::ElementwiseKernel;
use super::super::error::OperationError;
use super::super::operation::arguments::{Inputs, Outputs};
use super::super::reduction::ReductionKernel;
use crate::device::Device;
use crate::submit::Recording;

/// `r . r`.
pub(crate) const RR: usize = 0;
/// `b . b`, of the scaled `b`.
pub(crate) const BB: usize = 1;
pub(crate) const OWN_SUMS: usize = 2;

/// The greatest absolute value of `b`, by which residuals are divided.
pub(crate) const DIVISOR: usize = 0;
/// The greatest `r . r` that meets the tolerance.
pub(crate) const TARGET: usize = 1;
/// The square of the tolerance.
pub(crate) const TOLERANCE: usize = 2;
pub(crate) const OWN_STATE: usize = 3;

/// The position of the status: one of the constants below.
pub(crate) const STATUS: usize = 0;
/// The position of the number of iterations.
pub(crate) const ITERATIONS: usize = 1;
/// The position of the first row whose diagonal element does not suit the solver, or [`NO_ROW`].
pub(crate) const ROW: usize = 2;
/// The position of the reason of [`BROKEN`]: a position in `sums`.
pub(crate) const REASON: usize = 3;
pub(crate) const OWN_FLAGS: usize = 4;

/// Some iterations are left: all other states make iterations change nothing.
pub(crate) const RUNNING: u32 = 0;
pub(crate) const CONVERGED: u32 = 1;
pub(crate) const EXHAUSTED: u32 = 2;
pub(crate) const BROKEN: u32 = 3;
pub(crate) const NOT_FINITE: u32 = 4;
pub(crate) const STAGNATED: u32 = 5;
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The constants above, and those of the solver, as declarations of WGSL.
pub(crate) fn constants(own: &[(&str, usize)]) -> String {
    let places = [("RR", RR), ("BB", BB), ("SCALE", DIVISOR), ("TARGET", TARGET), ("TOLERANCE", TOLERANCE)];
    let of_flags = [("STATUS", STATUS), ("ITERATIONS", ITERATIONS), ("REASON", REASON)];
    let statuses = [
        ("RUNNING", RUNNING),
        ("CONVERGED", CONVERGED),
        ("EXHAUSTED", EXHAUSTED),
        ("BROKEN", BROKEN),
        ("NOT_FINITE", NOT_FINITE),
        ("STAGNATED", STAGNATED),
    ];
    let places = places.iter().chain(&of_flags).chain(own).map(|(name, at)| (*name, *at as u32));
    places.chain(statuses).map(|(name, value)| format!("const {name} = {value}u;\n")).collect()
}

/// An element divided by the scale, unless all elements are 0 or NaN.
const SCALED: &str = "fn scaled(x: T, scale: T) -> T { if scale == T(0) { return x; } return x / scale; }
fn square(x: T) -> T { return x * x; }
";

pub(crate) type Elementwise = LazyLock<ElementwiseKernel>;
pub(crate) type Reduction = LazyLock<ReductionKernel>;

/// An elementwise kernel with constants in its preamble.
pub(crate) fn elementwise(
    name: &str,
    inputs: &str,
    outputs: &str,
    operation: &str,
    constants: &str,
) -> ElementwiseKernel {
    let kernel = ElementwiseKernel::new(inputs, outputs, operation).expect("the parameters of the solver are valid");
    kernel.name(name).preamble(constants)
}

/// A reduction that adds.
pub(crate) fn reduction(name: &str, inputs: &str, output: &str) -> ReductionKernel {
    let kernel = ReductionKernel::new(inputs, output).expect("the parameters of the solver are valid");
    kernel.name(name).combine("a + b")
}

/// The greatest absolute value.
pub(super) static SCALE: Reduction = LazyLock::new(|| {
    reduction("scale of equations", "x: T", "y: T").map("abs(x)").combine("max(a, b)").identity("T(0)")
});

/// The sum of scaled squares.
pub(super) static SQUARES: Reduction = LazyLock::new(|| {
    let squares = reduction("squares of equations", "x: T, raw scale: T", "z: T").preamble(SCALED);
    squares.map("square(scaled(x, scale[0]))").identity("T(0)")
});

/// The residual of `x`. With `b = 0`, the solution is 0.
pub(super) static RESIDUAL: Elementwise = LazyLock::new(|| {
    let operation = "if scale[0] == T(0) { r = T(0); x = T(0); } else { r = (b - q) / scale[0]; }";
    elementwise("residual of equations", "b: T, q: T, raw scale: T, x: T", "x: T, r: T", operation, "")
});

/// Sets the state after [`RESIDUAL`], and decides whether iterations follow.
pub(super) static BEGIN: Elementwise = LazyLock::new(|| {
    let inputs = "raw sums: T, raw scale: T, most: u32, raw state: T, raw flags: u32";
    let operation = "state[SCALE] = scale[0];
        state[TARGET] = state[TOLERANCE] * sums[BB];
        flags[STATUS] = NOT_FINITE;
        if sums[BB] > T(0) {
            if sums[RR] <= state[TARGET] {
                flags[STATUS] = CONVERGED;
            } else if sums[RR] > T(0) && sums[RR] - sums[RR] == T(0) {
                flags[STATUS] = select(RUNNING, EXHAUSTED, flags[ITERATIONS] >= most);
            }
        } else if sums[BB] == T(0) && scale[0] == T(0) {
            flags[STATUS] = CONVERGED;
        }";
    elementwise("first test of equations", inputs, "raw state: T, raw flags: u32", operation, &constants(&[]))
});

/// Appends a call of an elementwise kernel.
pub(crate) fn each<'a>(
    device: &Device,
    kernel: &ElementwiseKernel,
    to: &mut Recording,
    inputs: impl Inputs<'a>,
    outputs: impl Outputs<'a>,
) -> Result<(), OperationError> {
    kernel.call(device).record(to).run(inputs, outputs)
}

/// Appends a call of an elementwise kernel with one invocation.
pub(crate) fn once<'a>(
    device: &Device,
    kernel: &ElementwiseKernel,
    to: &mut Recording,
    inputs: impl Inputs<'a>,
    outputs: impl Outputs<'a>,
) -> Result<(), OperationError> {
    kernel.call(device).size(1).record(to).run(inputs, outputs)
}

/// Appends a call of a reduction.
pub(crate) fn sum<'a>(
    device: &Device,
    kernel: &ReductionKernel,
    to: &mut Recording,
    inputs: impl Inputs<'a>,
    output: impl Outputs<'a>,
) -> Result<(), OperationError> {
    kernel.call(device).record(to).run(inputs, output)
}
