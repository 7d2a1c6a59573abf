//! The element types of rows.

use half::{bf16, f16};

use super::super::convert::CastElement;

/// Element types of softmax, norms and other operators on floats: `f32`, `f16` and `bf16`, on every device. Sums are
/// computed in `f32`.
pub trait FloatElement: CastElement + sealed::Float {}

impl<T: CastElement + sealed::Float> FloatElement for T {}

pub(crate) mod sealed {
    /// A float of at most 32 bits.
    pub trait Float {
        /// Whether the type is `bf16`.
        const BF16: bool;
    }
}

impl sealed::Float for f32 {
    const BF16: bool = false;
}

impl sealed::Float for f16 {
    const BF16: bool = false;
}

impl sealed::Float for bf16 {
    const BF16: bool = true;
}
