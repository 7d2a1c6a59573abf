//! Means, variances, and logarithms of sums.

use super::super::reduction::ReductionKernel;
use super::{IS_NAN, Kept, built};

/// A WGSL function that divides by a count and returns NaN for a count of 0: devices may compute any value for 0 / 0.
const QUOTIENT: &str = "
    fn quotient(a: T, count: u32) -> T {
        return select(a / T(count), T(bitcast<f32>(0x7fc00000u | count)), count == 0u);
    }\n";

/// The arithmetic mean of floats: their sum divided by their number.
pub fn mean() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "mean");
        kernel.combine("a + b").finish("quotient(a, n)").preamble(QUOTIENT).identity("T(0)")
    });
    &KEPT
}

/// The mean of the floats that are not NaN.
pub fn nan_mean() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "nan_mean").accumulator("Part").preamble(&format!(
            "{IS_NAN}{QUOTIENT}struct Part {{ sum: T, count: u32 }}
             fn part(x: T) -> Part {{ return Part(select(x, T(0), is_nan(x)), select(1u, 0u, is_nan(x))); }}"
        ));
        let kernel = kernel.map("part(x)").combine("Part(a.sum + b.sum, a.count + b.count)");
        kernel.finish("quotient(a.sum, a.count)").identity("Part(T(0), 0u)")
    });
    &KEPT
}

/// The variance of floats: the mean of the squared distances from their mean. For the variance of a sample, multiply
/// the result by `n / (n - 1)`.
///
/// Partial results are combined by their means, so that a large mean does not cost precision (Chan, Golub, LeVeque:
/// 'Updating formulae and a pairwise algorithm for computing sample variances', 1979).
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1e6f32 + 1.0, 1e6 + 3.0])?;
/// assert_eq!(*anywarp::ops::reduce::variance().apply::<f32>(&device, &x)?.read()?, [1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub fn variance() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "variance").accumulator("Part").preamble(&format!(
            "{QUOTIENT}struct Part {{ mean: T, squares: T, count: u32 }}
             fn joined(a: Part, b: Part) -> Part {{
                 let count = a.count + b.count;
                 let share = T(b.count) / T(max(count, 1u));
                 let distance = b.mean - a.mean;
                 let squares = a.squares + b.squares + distance * distance * T(a.count) * share;
                 return Part(a.mean + distance * share, squares, count);
             }}"
        ));
        let kernel = kernel.map("Part(x, T(0), 1u)").combine("joined(a, b)").finish("quotient(a.squares, n)");
        kernel.identity("Part(T(0), T(0), 0u)")
    });
    &KEPT
}

/// The logarithm of the sum of exponentials of floats. Exponentials are computed relative to the greatest element, so
/// that they do not overflow.
pub fn logsumexp() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "logsumexp").accumulator("Part").preamble(
            "struct Part { greatest: T, sum: T }
             fn joined(a: Part, b: Part) -> Part {
                 // The smaller one counts less; of two infinities, both count in full.
                 let above = a.greatest >= b.greatest;
                 let greatest = select(b.greatest, a.greatest, above);
                 let least = select(a.greatest, b.greatest, above);
                 let factor = select(exp(least - greatest), T(1), least == greatest);
                 let sums = select(vec2(b.sum, a.sum), vec2(a.sum, b.sum), above);
                 return Part(greatest, sums.x + sums.y * factor);
             }",
        );
        kernel
            .map("Part(x, T(1))")
            .combine("joined(a, b)")
            .finish("a.greatest + log(a.sum)")
            .identity("Part(T(-inf), T(0))")
    });
    &KEPT
}
