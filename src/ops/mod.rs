//! Operations that come with anywarp.
//!
//! Each runs on every device: by the vendor's library where [`Caps::library`](crate::backend::Caps::library)
//! lists it, else by a kernel in WGSL. Either goes to the device's own stream or into a
//! [`Recording`](crate::Recording), between launches of one's own.
//!
//! - [`fill_pattern`]: memory filled with a pattern, [`FillPattern`] with an offset and recording.
//! - [`matmul`]: the product of two matrices, [`Matmul`] with precision and recording.
//! - [`ElementwiseKernel`]: arrays element by element, by one line of WGSL: `z = a * x + y`.
//! - [`ReductionKernel`]: many elements to one, by four expressions; along axes, too.
//!
//! How one is added: `src/ops/README.md`.

mod elementwise;
mod error;
mod fill_pattern;
mod matmul;
mod operation;
mod operator;
mod plan;
mod reduction;

pub use anywarp_backend::Precision;
pub use elementwise::{ElementwiseCall, ElementwiseKernel};
pub use error::OperationError;
pub use fill_pattern::{FillPattern, PatternElement, fill_pattern};
pub use matmul::{Matmul, MatmulElement, matmul};
pub use operation::arguments::{Argument, Inputs, Outputs, Results};
pub use operation::shape::{Shaped, shaped};
pub use plan::Cost;
pub use reduction::{IdentityValue, ReductionCall, ReductionKernel};
