//! Every operation against what it does to each single value.
//!
//! | module | what it does |
//! |---|---|
//! | `concrete` | the operations on values, bit by bit where that is simplest |
//! | `operations` | the table: each operation on sets beside the one on values, and how often it has to be exact |
//! | `sets` | all sets of few bits, a sample of those of eight, and the least set around some values |
//! | `exhaustive` | the table over these sets: nothing left out, and exact so often |
//! | `relations` | comparisons, unions, intersections, and when operations wrap |
//! | `fields` | what has three and four operands |
//! | `random` | the same of 8 and 32 bits, by chance |
//! | `precise` | what kernels do to their indices, and what has to be known of it |

mod concrete;
mod exhaustive;
mod fields;
mod operations;
mod precise;
mod random;
mod relations;
mod sets;
