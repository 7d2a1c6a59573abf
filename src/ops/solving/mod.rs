//! The parts that iterative solvers of sparse systems of equations share: settings, errors, arrays, the loop of the
//! host, and preconditioners.

pub(crate) mod base;
pub(crate) mod diagonal;
pub(crate) mod error;
mod jacobi;
pub(crate) mod kernels;
mod preconditioner;
pub(crate) mod settings;
mod solution;

pub use jacobi::Jacobi;
pub use preconditioner::Preconditioner;
pub use solution::Solution;
