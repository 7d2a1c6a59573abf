//! The functions that compiled kernels call, on eight lanes at a time. Some of them are usually instructions of the kernel
//! (`codegen/ops/inline`); the calls here are the precise form.
//!
//! Cranelift has no instruction for an exponential, a sine or a vector division of integers, so generated code passes
//! eight lanes at a time to a function of [`LaneFunction`], found by [`address`]. Each function is compiled twice on
//! x86-64: for any machine, and for machines with AVX2 and FMA.
//!
//! The f32 functions compute in f64. An f32 is always a normal f64, the range reductions need no extended precision,
//! and the final rounding gives the right infinities and subnormals. The result is short branch-free code that LLVM
//! vectorises, whose error is only slightly above the unavoidable half ulp. Every polynomial is a minimax fit of the
//! relative error (Remez exchange in 60 digits), with its error bound in a comment.
//!
//! | file | functions |
//! |---|---|
//! | `table` | the list of all functions, their machine-code entry points |
//! | `functions` | the choice between these functions and vector instructions |
//! | `lanes` | loops over lanes, fused arithmetic, polynomials |
//! | `exponential` | exp, exp2 |
//! | `logarithm` | log, log2, pow |
//! | `trigonometric` | sin, cos, tan |
//! | `arc` | asin, acos, atan, atan2 |
//! | `hyperbolic` | sinh, cosh, tanh and their inverses |
//! | `integer` | division and remainder as WGSL defines them |
//! | `fused` | fma on machines without the instruction |

mod arc;
mod exponential;
mod functions;
mod fused;
mod hyperbolic;
mod integer;
mod lanes;
mod logarithm;
mod table;
#[cfg(test)]
mod tests;
mod trigonometric;

pub use functions::Functions;
#[cfg(test)]
pub(crate) use fused::reference;
#[cfg(test)]
pub(crate) use table::eval_f32;
pub(crate) use table::{LaneFunction, address};
