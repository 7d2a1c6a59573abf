//! Ready-made operators.
//!
//! Each runs on every device: through the vendor's library if [`Caps::library`](crate::backend::Caps::library) lists
//! it, otherwise as a WGSL kernel. Either goes to the device's default stream or into a
//! [`Recording`](crate::Recording), in order with the program's own launches.
//!
//! - [`fill_pattern`]: fills memory with a pattern; [`FillPattern`] adds an offset and recording.
//! - [`histogram`]: numbers of elements by bins; [`Histogram`] adds edges and recording, [`bincount`] counts numbers.
//! - [`matmul`]: the product of two matrices; [`Matmul`] adds a precision and recording.
//! - [`ElementwiseKernel`]: operations on arrays, element by element, by one line of WGSL: `z = a * x + y`.
//! - [`Random`]: random numbers, permutations and choices, with the same bits on every device.
//! - [`reduce`]: reductions by name: sums, extremes and their places, means, tests.
//! - [`ReductionKernel`]: reductions of many elements to one, by four expressions, also along axes.
//! - [`cumulative_sum`]: cumulative sums; [`Scan`] adds other operations, order, axes, segments and recording.
//! - [`select`], [`partition`], [`unique`], [`nonzero`]: the elements that fulfil a condition, in their order; [`Select`]
//!   adds conditions in WGSL, indices and recording.
//! - [`run_length_encode`], [`run_length_decode`]: values and lengths of runs; [`RunLengths`] adds recording.
//! - [`sort`], [`sort_pairs`], [`argsort`]: stable sorts; [`Sort`] adds orders, bit ranges and recording.
//!
//! `src/ops/README.md` describes how to add one.

mod elementwise;
mod error;
mod fill_pattern;
mod histogram;
mod matmul;
mod operation;
mod operator;
mod plan;
mod random;
pub mod reduce;
mod reduction;
mod scan;
mod scanning;
mod select;
mod sort;

pub use anywarp_backend::Precision;
pub use elementwise::{ElementwiseCall, ElementwiseKernel};
pub use error::OperationError;
pub use fill_pattern::{FillPattern, PatternElement, fill_pattern};
pub use histogram::{Histogram, HistogramElement, bincount, histogram};
pub use matmul::{Matmul, MatmulElement, MatmulInput, matmul};
pub use operation::arguments::{Argument, Inputs, Outputs, Results};
pub use operation::shape::{Shaped, shaped};
pub use plan::Cost;
pub use random::{Random, RandomBits, RandomFloat, RandomInteger, RandomNumber};
pub use reduction::{IdentityValue, ReductionCall, ReductionKernel};
pub use scan::{Scan, ScanElement, ScanForm, ScanKey, cumulative_sum};
pub use select::{RunLengths, Select, nonzero, partition, run_length_decode, run_length_encode, select, unique};
#[doc(hidden)]
pub use sort::SortWay;
pub use sort::{Sort, SortKey, argsort, sort, sort_pairs};

/// Threads share operators and make clones of them.
#[cfg(test)]
mod tests {
    const fn is_shared<T: Clone + Send + Sync>() {}

    const _: () = {
        is_shared::<super::ElementwiseKernel>();
        is_shared::<super::ReductionKernel>();
    };
}
