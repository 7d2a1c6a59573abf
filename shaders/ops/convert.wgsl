// Converts numbers of one type to another type, with the results of Rust's `as`.
//
// All arithmetic is on integers of 32 bits, so that every device has all types and the same results.
import package::shared::formats::{from_bits, from_fraction, from_signed, to_bits, to_fraction, to_signed};
import package::shared::longs::{is_less, leading_zeros, left, negative, right, sum};
import package::shared::short_numbers::converted_short;

struct Sizes {
    count: u32,
    // The index of each array's first element in its binding.
    first_of_x: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

const finite = 0u;
const infinite = 1u;
const not_a_number = 2u;

// A number. The absolute value of a finite number is magnitude * 2^exponent.
struct Number {
    magnitude: vec2<u32>,
    exponent: i32,
    is_negative: bool,
    kind: u32,
}

// Returns the bits of an element; for a short element, the upper bits of the result are 0.
fn bits_of(number: u32) -> vec2<u32> {
    let at = sizes.first_of_x + number;
    if from_bits == 64u {
        return vec2(x[2u * at], x[2u * at + 1u]);
    }
    let each = max(32u / from_bits, 1u);
    return vec2(extractBits(x[at / each], at % each * from_bits, min(from_bits, 32u)), 0u);
}

// Returns a signed integer extended to 64 bits.
fn widened(bits: vec2<u32>) -> vec2<u32> {
    if !from_signed || from_bits == 64u {
        return bits;
    }
    let above = 32u - min(from_bits, 32u);
    let low = bitcast<u32>(bitcast<i32>(bits.x << above) >> above);
    return vec2(low, bitcast<u32>(bitcast<i32>(low) >> 31u));
}

fn from_integer(bits: vec2<u32>) -> Number {
    let is_negative = from_signed && (bits.y >> 31u) != 0u;
    return Number(select(bits, negative(bits), is_negative), 0, is_negative, finite);
}

fn from_float(bits: vec2<u32>) -> Number {
    let exponents = min(from_bits - 1u - from_fraction, 31u);
    let greatest = (1u << exponents) - 1u;
    let is_negative = (right(bits, from_bits - 1u).x & 1u) != 0u;
    let exponent = right(bits, from_fraction).x & greatest;
    var fraction = right(left(bits, 64u - from_fraction), 64u - from_fraction);
    if exponent == greatest {
        let is_zero = all(fraction == vec2(0u));
        return Number(vec2(0u), 0, is_negative, select(not_a_number, infinite, is_zero));
    }
    if exponent > 0u {
        fraction = sum(fraction, left(vec2(1u, 0u), from_fraction));
    }
    let bias = i32(greatest >> 1u);
    return Number(fraction, i32(max(exponent, 1u)) - bias - i32(from_fraction), is_negative, finite);
}

// Returns the number without its fraction, or the nearest integer of the type if it is out of range.
fn to_integer(number: Number) -> vec2<u32> {
    if number.kind == not_a_number {
        return vec2(0u);
    }
    // The greatest magnitude that the type has for this sign.
    var greatest = right(vec2(0xffffffffu), 64u - to_bits);
    if to_signed {
        let half = right(greatest, 1u);
        greatest = select(half, sum(half, vec2(1u, 0u)), number.is_negative);
    } else if number.is_negative {
        return vec2(0u);
    }
    var magnitude = greatest;
    if number.kind == finite {
        if number.exponent < 0 {
            magnitude = right(number.magnitude, u32(-number.exponent));
        } else if all(number.magnitude == vec2(0u)) || u32(number.exponent) <= leading_zeros(number.magnitude) {
            magnitude = left(number.magnitude, u32(number.exponent));
        }
        if is_less(greatest, magnitude) {
            magnitude = greatest;
        }
    }
    return select(magnitude, negative(magnitude), number.is_negative);
}

// Returns the nearest float of the type; of two equally near floats, the even one.
fn to_float(number: Number) -> vec2<u32> {
    let exponents = min(to_bits - 1u - to_fraction, 31u);
    let greatest = (1u << exponents) - 1u;
    let bias = i32(greatest >> 1u);
    let sign = left(vec2(select(0u, 1u, number.is_negative), 0u), to_bits - 1u);
    let infinity = left(vec2(greatest, 0u), to_fraction);
    if number.kind == not_a_number {
        return sum(sum(infinity, left(vec2(1u, 0u), max(to_fraction, 1u) - 1u)), sign);
    }
    if number.kind == infinite {
        return sum(infinity, sign);
    }
    if all(number.magnitude == vec2(0u)) {
        return sign;
    }
    // The exponent of the number, and the exponent of the last bit of the fraction in the result.
    let own = 63 - i32(leading_zeros(number.magnitude)) + number.exponent;
    let last = max(own, 1 - bias) - i32(to_fraction);
    let shift = last - number.exponent;
    var fraction = number.magnitude;
    if shift <= 0 {
        fraction = left(fraction, u32(-shift));
    } else if shift > 64 {
        fraction = vec2(0u);
    } else {
        let kept = right(fraction, u32(shift));
        let rest = left(fraction, 64u - u32(shift));
        let half = vec2(0u, 0x80000000u);
        let is_half = all(rest == half);
        let up = is_less(half, rest) || (is_half && (kept.x & 1u) != 0u);
        fraction = sum(kept, vec2(select(0u, 1u, up), 0u));
    }
    // The highest bit of a normal number, and a carry of the rounding, move into the exponent.
    var bits = fraction;
    if own >= 1 - bias {
        // Numbers above all finite numbers of the type become infinite.
        let exponent = u32(min(own + bias, i32(greatest)) - 1);
        bits = sum(left(vec2(exponent, 0u), to_fraction), fraction);
        if is_less(infinity, bits) {
            bits = infinity;
        }
    }
    return sum(bits, sign);
}

fn converted(number: u32) -> vec2<u32> {
    let bits = bits_of(number);
    if from_bits <= 32u && to_bits <= 32u {
        return vec2(converted_short(bits.x), 0u);
    }
    if from_fraction == 0u {
        let wide = widened(bits);
        if to_fraction == 0u {
            // Integers lose their upper bits.
            return wide;
        }
        return to_float(from_integer(wide));
    }
    if to_fraction == 0u {
        return to_integer(from_float(bits));
    }
    if from_fraction == to_fraction && from_bits == to_bits {
        return bits;
    }
    return to_float(from_float(bits));
}

// Each invocation writes a word, or an element of two words.
@compute @workgroup_size(256)
fn convert(@builtin(global_invocation_id) id: vec3<u32>) {
    if to_bits == 64u {
        if id.x < sizes.count {
            let bits = converted(id.x);
            y[2u * (sizes.first_of_y + id.x)] = bits.x;
            y[2u * (sizes.first_of_y + id.x) + 1u] = bits.y;
        }
        return;
    }
    let each = max(32u / to_bits, 1u);
    let skip = sizes.first_of_y % each;
    if id.x * each >= skip + sizes.count {
        return;
    }
    let at = sizes.first_of_y / each + id.x;
    let ones = 0xffffffffu >> (32u - min(to_bits, 32u));
    var word = 0u;
    var mask = 0u;
    for (var k = 0u; k < each; k++) {
        // Elements before the array have negative numbers, which wrap around to large ones.
        let number = id.x * each + k - skip;
        if number < sizes.count {
            word |= (converted(number).x & ones) << (k * to_bits);
            mask |= ones << (k * to_bits);
        }
    }
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word |= y[at] & ~mask;
    }
    y[at] = word;
}
