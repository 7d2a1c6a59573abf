//! Mistakes, and what the tests say of them.
//!
//! | module | concept |
//! |---|---|
//! | `list` | the mistakes of `mutations/*.txt` |
//! | `options` | what the command line asks for |
//! | `tree` | a copy of the crate to make mistakes in |
//! | `trial` | the tests of that copy, with one mistake |

pub(crate) mod list;
pub(crate) mod options;
pub(crate) mod tree;
pub(crate) mod trial;
