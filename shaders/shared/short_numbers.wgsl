// Converts numbers of at most 32 bits to another type of at most 32 bits, in one word.
import package::shared::formats::{from_bits, from_fraction, from_signed, to_bits, to_fraction, to_signed};

const infinity = 0x7f800000u;

// Returns the converted bits of an element. The bits above an element are 0 in the argument, but not in the result.
fn converted_short(bits: u32) -> u32 {
    if from_fraction == 0u {
        let wide = extended(bits);
        if to_fraction == 0u {
            // Integers lose their upper bits.
            return wide;
        }
        return from_integer(wide);
    }
    if from_fraction == to_fraction && from_bits == to_bits {
        return bits;
    }
    let float = as_f32(bits);
    if to_fraction == 0u {
        return to_integer(float);
    }
    return from_f32(float);
}

// Returns an integer extended to 32 bits.
fn extended(bits: u32) -> u32 {
    if !from_signed {
        return bits;
    }
    let above = 32u - min(from_bits, 32u);
    return bitcast<u32>(bitcast<i32>(bits << above) >> above);
}

// Returns the float that is nearest to an integer; of two equally near floats, the even one.
fn from_integer(number: u32) -> u32 {
    let is_negative = from_signed && (number >> 31u) != 0u;
    let magnitude = select(number, 0u - number, is_negative);
    let zeros = min(countLeadingZeros(magnitude), 31u);
    let left = magnitude << zeros;
    let fraction = min(to_fraction, 23u);
    let kept = left >> (31u - fraction);
    let rest = left << (fraction + 1u);
    let up = rest > 0x80000000u || (rest == 0x80000000u && (kept & 1u) != 0u);
    let exponents = min(to_bits - 1u - fraction, 8u);
    let greatest = (1u << exponents) - 1u;
    // The highest bit adds one to the exponent, and so does a carry of the rounding.
    let bits = ((30u - zeros + (greatest >> 1u)) << fraction) + kept + u32(up);
    let sign = u32(is_negative) << (min(to_bits, 32u) - 1u);
    return select(min(bits, greatest << fraction), 0u, magnitude == 0u) | sign;
}

// Returns a float of at most 32 bits as f32.
fn as_f32(bits: u32) -> u32 {
    if from_bits == 32u {
        return bits;
    }
    if from_fraction == 7u {
        return bits << 16u;
    }
    let size = bits & 0x7fffu;
    // The exponent biases differ by 112; infinities and NaN have the largest exponent.
    let normal = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
    let top = 31u - min(countLeadingZeros(size), 31u);
    let tiny = ((top + 103u) << 23u) | ((size << (23u - min(top, 23u))) & 0x7fffffu);
    return select(normal, select(tiny, 0u, size == 0u), size < 0x400u) | ((bits & 0x8000u) << 16u);
}

// Returns the float of 16 bits that is nearest to an f32, ties to even. NaN keeps only its sign.
fn from_f32(bits: u32) -> u32 {
    let size = bits & 0x7fffffffu;
    let sign = bits & 0x80000000u;
    if to_bits == 32u {
        return select(size, infinity | 0x400000u, size > infinity) | sign;
    }
    if to_fraction == 7u {
        let nearest = (size + 0x7fffu + ((size >> 16u) & 1u)) >> 16u;
        return select(nearest, 0x7fc0u, size > infinity) | (sign >> 16u);
    }
    let normal = (size + 0xc8000fffu + ((size >> 13u) & 1u)) >> 13u;
    // For floats below 2^-14: shifted right, `fraction` counts multiples of 2^-24, the smallest f16.
    let fraction = (size & 0x7fffffu) | 0x800000u;
    let shift = clamp(126u - min(size >> 23u, 126u), 1u, 31u);
    let kept = fraction >> shift;
    let rest = fraction << (32u - shift);
    let up = rest > 0x80000000u || (rest == 0x80000000u && (kept & 1u) != 0u);
    let finite = select(normal, kept + u32(up), size < 0x38800000u);
    let beyond = select(0x7c00u, 0x7e00u, size > infinity);
    return select(finite, beyond, size >= 0x477ff000u) | (sign >> 16u);
}

// Returns a float without its fraction, or the nearest integer of the type if it is out of range; 0 for NaN.
fn to_integer(float: u32) -> u32 {
    let is_negative = (float >> 31u) != 0u;
    let size = float & 0x7fffffffu;
    let exponent = size >> 23u;
    let fraction = (size & 0x7fffffu) | 0x800000u;
    let left = fraction << (clamp(exponent, 150u, 158u) - 150u);
    let right = fraction >> (150u - clamp(exponent, 119u, 150u));
    var magnitude = select(select(left, right, exponent < 150u), 0u, exponent < 127u);
    magnitude = select(magnitude, 0xffffffffu, exponent > 158u);
    var greatest = 0xffffffffu >> (32u - min(to_bits, 32u));
    if to_signed {
        greatest = (greatest >> 1u) + u32(is_negative);
    } else {
        greatest = select(greatest, 0u, is_negative);
    }
    magnitude = select(min(magnitude, greatest), 0u, size > infinity);
    return select(magnitude, 0u - magnitude, is_negative);
}
