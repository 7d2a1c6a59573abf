//! Factors and equations of small dense matrices, in batches.

mod cholesky;
mod eigen;
mod lu;
mod qr;
mod run;
mod sizes;
mod status;
mod svd;
mod triangle;

pub use cholesky::{Cholesky, cholesky};
pub use eigen::{Eigh, eigh};
pub use lu::{Lu, lu};
pub use qr::{Qr, qr};
pub use status::FactorStatus;
pub use svd::{Svd, svd};
pub use triangle::{SolveTriangular, solve_triangular};
