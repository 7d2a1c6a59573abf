//! What is known of an integer: an interval and bits.
//!
//! [`Known`] is a set of integers of one type: those in an interval of values whose bits are as some are known to be.
//! Each operation of WGSL has a function here that takes what is known of its operands, and gives a set that has
//! every result in it. Intervals say how large an index is; bits say how it is aligned and what a mask leaves. The
//! two are always reduced against each other, see `reduce`, so that equal sets are equal values.
//!
//! Types have 1 to 32 bits: kernels have 32, tests go through all values of 3, 4 and 8.
//!
//! | module | what it is about |
//! |---|---|
//! | `int` | the type: how many bits, whether one is a sign |
//! | `known` | the set, unions and intersections |
//! | `reduce` | intervals narrowed by bits, bits found by intervals |
//! | `bits` | bits of sums, products and shifted patterns |
//! | `arithmetic`, `division` | `+`, `-`, `*`, `-e`, `abs`, `sign`, `/`, `%` |
//! | `extremes` | `min`, `max` |
//! | `bitwise`, `shifts`, `counting`, `fields` | `&`, bits moved, counted, taken out and put in |
//! | `conversion` | the same bits, or the same value, as another type |
//! | `compare` | what comparisons say of their operands |

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

#[allow(unused_imports, reason = "for whoever asks what is known of an integer")]
pub(crate) use {compare::Comparison, int::Int, known::Known};
