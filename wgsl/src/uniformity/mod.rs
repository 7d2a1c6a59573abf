//! WGSL's uniformity analysis: all invocations must reach barriers and similar operations together.
//!
//! The analysis follows [section 15.2 of the specification](https://www.w3.org/TR/WGSL/#uniformity), as browsers do
//! and naga does not. It runs on naga's module, whose statements are close to those of WGSL.
//!
//! | file | contents |
//! |---|---|
//! | `graph` | the graph of one function |
//! | `walk`, `behavior` | statements and control flow |
//! | `variables` | the assignments that reach each read |
//! | `expressions`, `sources` | values, and inputs that are always uniform |
//! | `calls`, `requirement` | calls, and values that must be uniform |
//! | `summary` | the effects of a function on its callers |
//! | `scope` | the group of invocations that are compared |
//! | `failure`, `chain`, `message` | failures, their causes and their messages |
//!
//! A function is analysed before its callers. The analysis is skipped if no function has an operation that needs
//! uniformity, as in most kernels.

mod behavior;
mod calls;
mod chain;
mod expressions;
mod failure;
mod graph;
mod message;
mod requirement;
mod scope;
mod sources;
mod summary;
#[cfg(test)]
mod tests;
mod variables;
mod walk;

pub(crate) use behavior::Behavior;
pub use failure::{Failure, Link, failures};
pub use scope::Language;
