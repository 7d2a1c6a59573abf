//! Tests that compare every operation on sets with the same operation on each value.
//!
//! | module | content |
//! |---|---|
//! | `concrete` | the operations on values, bit by bit where that is simplest |
//! | `operations` | the table of operations on sets and on values, and how often each has to be exact |
//! | `sets` | all sets of few bits, a sample of the sets of eight bits, and the smallest set around some values |
//! | `exhaustive` | the table over these sets: every result is contained, and results are exact as often as listed |
//! | `relations` | comparisons, unions, intersections, and whether operations wrap |
//! | `fields` | operations with three and four operands |
//! | `random` | random sets of 8 and 32 bits |
//! | `precise` | exact results for typical computations of indices |

mod concrete;
mod exhaustive;
mod fields;
mod operations;
mod precise;
mod random;
mod relations;
mod sets;
