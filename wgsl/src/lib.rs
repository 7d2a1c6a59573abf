//! From WGSL texts to a checked module: what `anywarp` does when a kernel is made, and what its
//! macro does while Rust compiles. No device is needed.
//!
//! | module | step |
//! |---|---|
//! | [`compose`] | one text from several files: imports, conditions, element types |
//! | [`guard`] | texts that nest too deeply are refused; panics become errors |
//! | [`quiet`] | panics that become errors print nothing |
//! | [`directives`], [`filters`] | directives and attributes that naga does not know are blanked |
//! | `lacking` | built-in functions that naga does not know, written with those that it knows |
//! | [`module`] | parse, validate; diagnostics point at the author's own files |
//! | `words` | what is said about mistakes, in the words of WGSL |
//! | [`marks`] | functions marked for debug printing |
//! | [`reflect`] | bindings and their layouts |
//! | [`rules`] | rules of WGSL that naga does not check |
//! | [`uniformity`] | barriers that not all invocations reach, as browsers find them |

pub mod compose;
pub mod diagnostic;
pub mod directives;
mod error;
pub mod filters;
pub mod guard;
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
