//! The set of values that an integer may have: an interval and known bits.
//!
//! [`Known`] is a set of integers of one type: those in an interval that have some known bits. For each operation of
//! WGSL, a function takes the sets of the operands and returns a set that contains every result. The interval bounds an
//! index; the bits represent its alignment and the effect of a mask. The interval and the bits narrow each other (see
//! `reduce`), so that equal sets are equal values.
//!
//! Types have 1 to 32 bits. Kernels use 1, 16 and 32 bits; tests try all values of 3, 4 and 8 bits.
//!
//! | module | concept |
//! |---|---|
//! | `int` | the type: width and sign |
//! | `known` | the set, unions and intersections |
//! | `reduce` | intervals narrowed by known bits, and bits derived from intervals |
//! | `bits` | bits of sums, products and shifted patterns |
//! | `arithmetic`, `division` | `+`, `-`, `*`, `-e`, `abs`, `sign`, `/`, `%` |
//! | `extremes` | `min`, `max` |
//! | `bitwise`, `shifts`, `counting`, `fields` | `&`, and bits that are moved, counted, extracted and inserted |
//! | `conversion` | casts |
//! | `compare` | comparisons |

mod arithmetic;
mod bits;
mod bitwise;
mod compare;
mod conversion;
mod counting;
mod division;
mod extremes;
mod fields;
mod int;
mod known;
mod reduce;
mod shifts;
#[cfg(test)]
mod tests;

#[allow(unused_imports, reason = "the interface of this module")]
pub(crate) use {compare::Comparison, int::Int, known::Known};
