//! Sparse matrices.

mod check;
mod convert;
mod element;
mod matrix;
mod plan;
mod product;
mod question;
#[cfg(test)]
mod reference;
mod run;
#[cfg(test)]
mod tests;

pub use element::SparseElement;
pub use matrix::SparseMatrix;
pub use product::{SparseProduct, spmm, spmv};
