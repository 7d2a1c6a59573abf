//! The table of operations on sets and on values.

use super::super::{Int, Known};
use super::concrete;

/// An operation with one operand.
pub(super) struct Unary {
    pub(super) name: &'static str,
    pub(super) sets: fn(Known) -> Known,
    pub(super) values: fn(Int, i64) -> i64,
    /// The number of results in a thousand that have to be the smallest possible set, for unsigned and for signed sets
    /// of eight bits.
    pub(super) exact: [usize; 2],
}

/// An operation with two operands.
pub(super) struct Binary {
    pub(super) name: &'static str,
    pub(super) sets: fn(Known, Known) -> Known,
    pub(super) values: fn(Int, i64, i64) -> i64,
    /// The number of results in a thousand that have to be the smallest possible set, as in [`Unary`].
    pub(super) exact: [usize; 2],
}

#[rustfmt::skip]
pub(super) const UNARY: &[Unary] = &[
    Unary { name: "neg", sets: Known::neg, values: concrete::neg, exact: [1000, 1000] },
    Unary { name: "abs", sets: Known::abs, values: concrete::abs, exact: [1000, 1000] },
    Unary { name: "sign", sets: Known::sign, values: concrete::sign, exact: [1000, 1000] },
    Unary { name: "not", sets: Known::not, values: concrete::not, exact: [1000, 1000] },
    Unary { name: "countOneBits", sets: Known::count_one_bits, values: concrete::count_one_bits, exact: [256, 696] },
    Unary { name: "countLeadingZeros", sets: Known::count_leading_zeros, values: concrete::count_leading_zeros, exact: [935, 842] },
    Unary { name: "countTrailingZeros", sets: Known::count_trailing_zeros, values: concrete::count_trailing_zeros, exact: [859, 842] },
    Unary { name: "firstLeadingBit", sets: Known::first_leading_bit, values: concrete::first_leading_bit, exact: [873, 966] },
    Unary { name: "firstTrailingBit", sets: Known::first_trailing_bit, values: concrete::first_trailing_bit, exact: [888, 764] },
    Unary { name: "reverseBits", sets: Known::reverse_bits, values: concrete::reverse_bits, exact: [256, 700] },
];

#[rustfmt::skip]
pub(super) const BINARY: &[Binary] = &[
    Binary { name: "+", sets: Known::add, values: concrete::add, exact: [987, 986] },
    Binary { name: "-", sets: Known::sub, values: concrete::sub, exact: [986, 985] },
    Binary { name: "*", sets: Known::mul, values: concrete::mul, exact: [644, 668] },
    Binary { name: "/", sets: Known::div, values: concrete::div, exact: [985, 976] },
    Binary { name: "%", sets: Known::rem, values: concrete::rem, exact: [801, 817] },
    Binary { name: "min", sets: Known::min, values: concrete::min, exact: [1000, 1000] },
    Binary { name: "max", sets: Known::max, values: concrete::max, exact: [1000, 1000] },
    Binary { name: "&", sets: Known::and, values: concrete::and, exact: [980, 964] },
    Binary { name: "|", sets: Known::or, values: concrete::or, exact: [905, 899] },
    Binary { name: "^", sets: Known::xor, values: concrete::xor, exact: [883, 973] },
    Binary { name: "<<", sets: Known::shl, values: concrete::shl, exact: [1000, 984] },
    Binary { name: ">>", sets: Known::shr, values: concrete::shr, exact: [1000, 996] },
];
