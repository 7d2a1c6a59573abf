//! One text from several files: imports, conditions and element types, in the notation of
//! [WESL](https://wesl-lang.dev).
//!
//! The texts are edited, not printed from a syntax tree. The author's text is copied byte for byte, names change only
//! where two names would clash, and removed parts become blanks. Every byte of the result therefore has a file, line
//! and column, and documentation and debug marks stay in the text.
//!
//! | module | step |
//! |---|---|
//! | `modules` | the sources of files: a [`Folder`], or [`Given`] texts |
//! | `tokens` | words, numbers and marks of a text, and its comments |
//! | `conditions`, `expression` | `@if`, `@elif`, `@else` |
//! | `imports` | import statements |
//! | `outline` | the declarations of a file, and its uses of names |
//! | `graph` | imported files, and the targets of paths |
//! | `names`, `predeclared` | the names that must change |
//! | `elements` | `alias T = f32;` with another scalar |
//! | `link` | the composed text, and the source position of each byte |
//!
//! Differences from WESL: import cycles are refused; an entry point of an imported file stays only if another file
//! imports it by name; paths begin with `package`, `super` or an imported module; `@elif`, `@else` and conditions on
//! imports are already supported.

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
