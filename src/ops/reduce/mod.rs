//! Named reductions: sums, extremes, means, tests.
//!
//! Each function returns a [`ReductionKernel`], which runs on whole arrays, along axes, on views, in recordings and on
//! streams. It is built once for the process and compiled once for each device and type.
//!
//! ```
//! # #[cfg(feature = "cpu")]
//! # fn main() -> anywarp::Result<()> {
//! use anywarp::ops::{reduce, shaped};
//!
//! let device = anywarp::Device::open("cpu")?;
//! let x = device.buffer_from(&[1.0f32, 5.0, 3.0, 4.0, 0.0, 2.0])?;
//! assert_eq!(*reduce::sum().apply::<f32>(&device, &x)?.read()?, [15.0]);
//! assert_eq!(*reduce::argmax().call(&device).axis(1).apply::<u32>(shaped(&x, [2, 3]))?.read()?, [1, 0]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cpu"))]
//! # fn main() {}
//! ```
//!
//! | function | inputs, output | result | without elements |
//! |---|---|---|---|
//! | [`sum`], [`product`] | `x: T`, `y: T` | as named | 0, 1 |
//! | [`dot`] | `x: T, y: T`, `z: T` | sum of `x * y` | 0 |
//! | [`norm`] | `x: T`, `y: T` | square root of the sum of squares | 0 |
//! | [`min`], [`max`] | `x: T`, `y: T` | the extreme; NaN if there is one | infinity, or the last integer |
//! | [`argmin`], [`argmax`] | `x: T`, `y: u32` | the first index of the extreme, or of NaN | 0xffffffff |
//! | [`mean`], [`variance`] | `x: T`, `y: T`, floats | as NumPy's `mean` and `var` | NaN |
//! | [`logsumexp`] | `x: T`, `y: T`, floats | `ln(sum(exp(x)))`, without overflow | -infinity |
//! | [`count`] | `x: T`, `y: u32` | the number of elements that are not 0 | 0 |
//! | [`any`], [`all`] | `x: T`, `y: u32` | 1 if any element is, or all elements are, not 0; else 0 | 0, 1 |
//! | [`nan_sum`], [`nan_min`], [`nan_max`], [`nan_mean`], [`nan_argmin`], [`nan_argmax`] | floats | as above, without the elements that are NaN | as above |
//!
//! Sums of the same shape on the same kind of device have the same bits at every call. NaN is recognised by its bits,
//! so devices whose arithmetic assumes that no value is NaN return the same results.

mod extremes;
mod moments;
mod sums;

pub use extremes::{Ordered, argmax, argmin, max, min, nan_argmax, nan_argmin, nan_max, nan_min};
pub use moments::{logsumexp, mean, nan_mean, variance};
pub use sums::{all, any, count, dot, nan_sum, norm, product, sum};

use super::error::OperationError;
use super::reduction::ReductionKernel;

/// A WGSL function that returns whether a number of type `T` is NaN.
const IS_NAN: &str = "fn is_nan(x: T) -> bool { return (bitcast<u32>(f32(x)) & 0x7fffffffu) > 0x7f800000u; }\n";

/// A reduction that is built at its first use.
type Kept = std::sync::LazyLock<ReductionKernel>;

/// Returns the kernel of a definition in this module, with this name.
fn built(kernel: Result<ReductionKernel, OperationError>, name: &str) -> ReductionKernel {
    kernel.expect("the parameters of named reductions are valid").name(name)
}
