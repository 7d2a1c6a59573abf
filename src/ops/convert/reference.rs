//! The reference implementation in plain Rust: Rust's `as` for types that it has, and rounding by candidates for the
//! others.

/// The nearest of all floats with `fraction` bits of fraction and `exponents` bits of exponent, halves to the even one.
///
/// The number is `magnitude * 2^exponent`, and `magnitude` has at most 64 bits.
pub(crate) fn nearest(negative: bool, magnitude: u64, exponent: i32, [fraction, exponents]: [u32; 2]) -> u64 {
    let sign = u64::from(negative) << (fraction + exponents);
    let infinity = ((1u64 << exponents) - 1) << fraction;
    // The first float above, found by halves, as floats are in the order of their bits.
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
    // The middle between both is the float between them that has one more bit of fraction.
    let side = compare(2 * below + 1, magnitude, exponent, [fraction + 1, exponents]);
    let up = side.is_lt() || (side.is_eq() && below % 2 == 1);
    sign | (below + u64::from(up))
}

/// Compares the positive float of these bits with `magnitude * 2^exponent`.
fn compare(bits: u64, magnitude: u64, exponent: i32, [fraction, exponents]: [u32; 2]) -> std::cmp::Ordering {
    let bias = (1i32 << (exponents - 1)) - 1;
    let (field, rest) = ((bits >> fraction) as i32, bits & ((1 << fraction) - 1));
    let own = if field == 0 { rest } else { rest | 1 << fraction };
    let own_exponent = field.max(1) - bias - fraction as i32;
    if own == 0 || magnitude == 0 {
        return own.cmp(&magnitude);
    }
    // By the highest bit first, then by all of them with the highest one at the same position.
    let top = |number: u64, exponent: i32| 63 - number.leading_zeros() as i32 + exponent;
    let digits = |number: u64| number << number.leading_zeros();
    top(own, own_exponent).cmp(&top(magnitude, exponent)).then(digits(own).cmp(&digits(magnitude)))
}
