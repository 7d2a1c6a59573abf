//! Tools that rewrite functions, statement by statement.
//!
//! | file | concept |
//! |---|---|
//! | `operands` | the operands of expressions and statements |
//! | `key` | keys that are equal for expressions with the same value |
//! | `writer` | writes a new function: expressions, and the statements that emit them |
//! | `prune` | removal of unused code |
//! | `depth` | the depth of nested blocks |
//! | `emitter` | a new block, in which consecutive expressions are emitted together |

pub(crate) mod depth;
pub(crate) mod emitter;
pub(crate) mod key;
pub mod operands;
pub(crate) mod prune;
#[cfg(test)]
mod tests;
pub(crate) mod writer;
