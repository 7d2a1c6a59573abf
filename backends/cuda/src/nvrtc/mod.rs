//! NVRTC, CUDA's compiler as a library: found and loaded when it is first needed.
//!
//! | file | what is in it |
//! |---|---|
//! | `search` | the places where the library may lie |
//! | `library` | the library: found, with its version and architectures |
//! | `compile` | CUDA C++ in, machine code or PTX out |
//! | `error` | errors, with what to do about them |
//! | `sys` | the functions as a table, and the library that they lie in |
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
