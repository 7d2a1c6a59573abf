//! The reference implementation in plain Rust: the rounding of a number to a float of any format.

/// Returns the bits of the float nearest to a number, in a format with `fraction` bits of fraction and `exponents` bits
/// of exponent. If two floats are equally near, the result is the one with an even last bit.
///
/// The number is `magnitude * 2^exponent`, with the sign of `negative`.
pub(crate) fn nearest(negative: bool, magnitude: u64, exponent: i32, [fraction, exponents]: [u32; 2]) -> u64 {
    let sign = u64::from(negative) << (fraction + exponents);
    let infinity = ((1u64 << exponents) - 1) << fraction;
    // A binary search for the least float above the number: positive floats have the order of their bits.
    let (mut low, mut high) = (0, infinity);
    while low < high {
        let middle = (low + high) / 2;
        if compare(middle, magnitude, exponent, [fraction, exponents]).is_gt() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let below = low - 1;
    // The midpoint of the floats `below` and `below + 1` is a float of the format with one more bit of fraction.
    let side = compare(2 * below + 1, magnitude, exponent, [fraction + 1, exponents]);
    let up = side.is_lt() || (side.is_eq() && below % 2 == 1);
    sign | (below + u64::from(up))
}

/// Compares the positive float that has these bits with `magnitude * 2^exponent`.
fn compare(bits: u64, magnitude: u64, exponent: i32, [fraction, exponents]: [u32; 2]) -> std::cmp::Ordering {
    let bias = (1i32 << (exponents - 1)) - 1;
    let (field, rest) = ((bits >> fraction) as i32, bits & ((1 << fraction) - 1));
    let own = if field == 0 { rest } else { rest | 1 << fraction };
    let own_exponent = field.max(1) - bias - fraction as i32;
    if own == 0 || magnitude == 0 {
        return own.cmp(&magnitude);
    }
    // Compares the positions of the highest set bits first, then all bits, shifted so that the highest bits coincide.
    let top = |number: u64, exponent: i32| 63 - number.leading_zeros() as i32 + exponent;
    let digits = |number: u64| number << number.leading_zeros();
    top(own, own_exponent).cmp(&top(magnitude, exponent)).then(digits(own).cmp(&digits(magnitude)))
}
