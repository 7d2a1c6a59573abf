//! WGSL's uniformity analysis: that barriers and the like are reached by all invocations together.
//!
//! This is what [section 15.2 of the specification](https://www.w3.org/TR/WGSL/#uniformity) describes and browsers
//! do; naga does not. It looks at naga's module, whose statements are close to WGSL's.
//!
//! | file | what is in it |
//! |---|---|
//! | `graph` | the graph of one function |
//! | `walk`, `behavior` | statements: control flow |
//! | `variables` | which assignment reaches which read |
//! | `expressions`, `sources` | values, and what is uniform by itself |
//! | `calls`, `requirement` | functions, and what has to be uniform |
//! | `summary` | what callers of a function have to know |
//! | `scope` | among which invocations |
//! | `failure`, `chain`, `message` | what is not uniform, why, and how that is said |
//!
//! Functions are looked at before those that call them. Nothing is looked at if no function has anything that
//! needs uniformity, which is the case for most kernels.

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
