//! Conversion of WGSL texts to checked modules. `anywarp` runs these steps when a kernel is created, and its macro runs
//! them at compile time. They need no device.
//!
//! | module | step |
//! |---|---|
//! | [`compose`] | one text from several files: imports, conditions, element types |
//! | [`guard`] | a limit on nesting; panics become errors |
//! | [`quiet`] | panics that become errors, without output |
//! | [`directives`], [`filters`] | directives and attributes that naga does not support, replaced by blanks |
//! | `aligned` | offsets of structs with `@align`, as WGSL defines them |
//! | `inexact` | constants that naga evaluates inexactly, evaluated here |
//! | `lacking` | built-in functions that naga lacks, declared by means of others |
//! | [`module`] | parsing and validation; diagnostics have positions in the author's own files |
//! | `words` | explanations of mistakes, in the terms of WGSL |
//! | [`marks`] | functions marked for debug printing, or as actors |
//! | [`reflect`] | bindings and their layouts |
//! | [`rules`] | rules of WGSL that naga does not check |
//! | [`uniformity`] | barriers that some invocations may not reach, as in browsers |

mod aligned;
pub mod compose;
pub mod diagnostic;
pub mod directives;
mod error;
pub mod filters;
pub mod guard;
mod inexact;
mod lacking;
pub mod marks;
pub mod module;
pub mod quiet;
pub mod reflect;
pub mod rules;
pub mod uniformity;
mod words;

pub use anywarp_backend::naga;
pub use error::TextError;
