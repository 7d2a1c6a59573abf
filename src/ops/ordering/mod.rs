//! The common parts of operators on ordered keys: sorts, merges, searches.
//!
//! | module | holds |
//! |---|---|
//! | `arrays` | the arrays of a call: checks, words to bind, scratch memory |
//! | `gather` | elements at positions that a sort has found |
//! | `keys` | the types of keys, and their order |
//! | `rows` | the order of keys in short rows |

pub(crate) mod arrays;
pub(crate) mod gather;
pub(crate) mod keys;
pub(crate) mod rows;
