//! Random kernels, and a reference that runs them in plain Rust.
//!
//! | module | contents |
//! |---|---|
//! | [`ast`], [`walk`], [`mod@print`], `layout` | kernels as data, as text, and their values in memory |
//! | [`generate`] | a kernel from a seed |
//! | [`hostile`] | kernels whose indices are often out of range |
//! | [`evaluate`] | the reference |

pub mod ast;
pub mod evaluate;
pub mod generate;
pub mod hostile;
mod layout;
pub mod print;
pub mod walk;
