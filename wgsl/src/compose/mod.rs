//! One text from several files: imports, conditions and element types, in the notation of
//! [WESL](https://wesl-lang.dev).
//!
//! The texts are edited, not printed anew. What an author wrote is copied byte for byte, names change
//! only where two of them would meet, and what is left out becomes blanks. So every byte of the result
//! knows its file, line and column, and comments that mean something stay.
//!
//! | module | step |
//! |---|---|
//! | `modules` | where files come from: a [`Folder`], or [`Given`] texts |
//! | `tokens` | words, numbers and marks of a text, and its comments |
//! | `conditions`, `expression` | `@if`, `@elif`, `@else`: what is off |
//! | `imports` | import statements |
//! | `outline` | what a file declares, and where it uses names |
//! | `graph` | files that import each other, and what each path means |
//! | `names`, `predeclared` | which names have to change |
//! | `elements` | `alias T = f32;` for another scalar |
//! | `link` | the one text, and where each byte of it is from |
//!
//! Differences from WESL: imports never go in circles; an entry point of an imported file stays only
//! if somebody imports it by name; paths begin with `package`, `super` or an imported module; and
//! `@elif`, `@else` and conditions on imports are there already.

mod conditions;
mod elements;
mod expression;
mod failure;
mod graph;
mod imports;
mod link;
mod modules;
mod names;
mod options;
mod outline;
mod predeclared;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;

pub use link::compose;
pub use modules::{Folder, Given, Modules};
pub use options::Options;
