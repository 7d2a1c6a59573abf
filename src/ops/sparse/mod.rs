//! Sparse matrices.

mod blocked;
mod check;
mod convert;
mod element;
mod files;
mod format;
mod matrix;
mod places;
mod plan;
mod product;
mod question;
#[cfg(test)]
mod reference;
mod run;
mod sampled;
mod sliced;
mod spgemm;
mod sum;
#[cfg(test)]
mod tests;
mod verify;

pub use element::SparseElement;
pub use files::SparseEntries;
pub use format::SparseFormat;
pub use matrix::SparseMatrix;
pub(crate) use product::dots;
pub use product::{SparseProduct, spmm, spmv};
pub use sampled::{SampledProduct, sddmm};
pub use spgemm::spgemm;
pub use sum::sparse_sum;
