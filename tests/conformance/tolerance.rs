//! Tolerances of floats, relative to the reference.
//!
//! The tolerances follow from the WGSL specification, section "Floating Point Accuracy", plus the rounding errors of
//! the reference.

/// The tolerance of `a * b + c`, which may be fused or not: one rounding of difference.
pub(crate) const MULTIPLY_ADD: f32 = 2.4e-7;
/// The tolerance of a sum of a few thousand values between -1 and 1, in any order.
pub(crate) const SUM: f32 = 1e-4;
/// The tolerance of one f16 operation: half a unit in the last place of 11 bits.
pub(crate) const HALF: f32 = 9.8e-4;
