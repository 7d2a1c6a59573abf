//! NVRTC, CUDA's compiler as a library: found and loaded when it is first needed.
//!
//! | file | what is in it |
//! |---|---|
//! | `search` | where the library may lie |
//! | `library` | the loaded library: its functions, version and architectures |
//! | `compile` | CUDA C++ in, machine code or PTX out |
//! | `error` | what can go wrong, and what to do about it |

mod compile;
mod error;
mod library;
mod search;
#[cfg(test)]
mod tests;

pub use compile::{Compiled, Job, Output, Source};
pub use error::{Attempt, NvrtcError, Place};
pub use library::{Nvrtc, library};
