// Arithmetic on numbers of 64 bits as two words, the low word first: unsigned integers, unless a type is given.

fn is_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn sum(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn negative(a: vec2<u32>) -> vec2<u32> {
    return sum(~a, vec2(1u, 0u));
}

// Returns the number shifted to the left; shifts by 64 or more return 0.
fn left(a: vec2<u32>, by: u32) -> vec2<u32> {
    if by >= 32u {
        return vec2(0u, select(0u, a.x << (by & 31u), by < 64u));
    }
    // Two shifts, as a single shift by 32 is not possible.
    return vec2(a.x << by, (a.y << by) | (a.x >> 1u >> (31u - by)));
}

fn right(a: vec2<u32>, by: u32) -> vec2<u32> {
    if by >= 32u {
        return vec2(select(0u, a.y >> (by & 31u), by < 64u), 0u);
    }
    return vec2((a.x >> by) | (a.y << 1u << (31u - by)), a.y >> by);
}

fn leading_zeros(a: vec2<u32>) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

// Returns the lower 64 bits of the product.
fn product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = vec2(a.x & 0xffffu, b.x & 0xffffu);
    let high = vec2(a.x >> 16u, b.x >> 16u);
    // Neither sum overflows.
    let first = low.x * high.y + (low.x * low.y >> 16u);
    let second = high.x * low.y + (first & 0xffffu);
    let above = high.x * high.y + (first >> 16u) + (second >> 16u);
    return vec2(a.x * b.x, above + a.x * b.y + a.y * b.x);
}

// Combines two numbers of a type (0 unsigned, 1 signed, 2 floating-point): 0 sum and 1 product, both of integers only,
// 2 minimum, 3 maximum. If either number is NaN, so is the result, with the same bits in any order.
fn combined_longs(a: vec2<u32>, b: vec2<u32>, kind: u32, operation: u32) -> vec2<u32> {
    if operation == 0u {
        return sum(a, b);
    }
    if operation == 1u {
        return product(a, b);
    }
    if kind == 2u && (is_long_nan(a) || is_long_nan(b)) {
        return vec2(0u, 0x7ff80000u);
    }
    let second = is_less(ordered_long(b, kind), ordered_long(a, kind)) == (operation == 2u);
    return select(a, b, second);
}

fn is_long_nan(a: vec2<u32>) -> bool {
    let size = a.y & 0x7fffffffu;
    return size > 0x7ff00000u || (size == 0x7ff00000u && a.x != 0u);
}

// Returns a number whose order as an unsigned integer is the order of the values; -0 is below 0.
fn ordered_long(a: vec2<u32>, kind: u32) -> vec2<u32> {
    if kind == 0u {
        return a;
    }
    if kind == 2u && (a.y >> 31u) != 0u {
        return ~a;
    }
    return vec2(a.x, a.y ^ 0x80000000u);
}
