//! Functions written anew, statement by statement.
//!
//! | file | concept |
//! |---|---|
//! | `operands` | the handles that expressions and statements hold |
//! | `key` | what makes two expressions the same |
//! | `writer` | a new function: expressions with the statements that emit them |
//! | `prune` | a function without what nothing uses |
//! | `depth` | how deep blocks nest |
//! | `emitter` | a block that is being written: expressions that follow each other are emitted together |

pub(crate) mod depth;
pub(crate) mod emitter;
pub(crate) mod key;
pub mod operands;
pub(crate) mod prune;
#[cfg(test)]
mod tests;
pub(crate) mod writer;
