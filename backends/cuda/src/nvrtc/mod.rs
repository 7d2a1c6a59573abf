//! NVRTC, CUDA's compiler as a library: found and loaded at first use.
//!
//! | file | content |
//! |---|---|
//! | `search` | the locations where the library may be |
//! | `library` | the library: how it is found, its version and its architectures |
//! | `compile` | compilation of CUDA C++ to machine code or PTX |
//! | `error` | errors, with what to do about them |
//! | `sys` | the functions as a table, and the loaded library |
//! | `result` | each function as a method that returns a `Result` |
//! | `safe` | a program inside NVRTC |

mod compile;
mod error;
mod library;
mod result;
mod safe;
mod search;
mod sys;
#[cfg(test)]
mod tests;

pub use compile::{Compiled, Job, Output, Source};
pub use error::{Attempt, NvrtcError, Place};
pub use library::{Nvrtc, library};
