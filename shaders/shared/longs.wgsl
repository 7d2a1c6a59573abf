// Unsigned integers of 64 bits as two words, the low one first.

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

// Shifts by 64 and more give 0.
fn left(a: vec2<u32>, by: u32) -> vec2<u32> {
    if by >= 32u {
        return vec2(0u, select(0u, a.x << (by & 31u), by < 64u));
    }
    // Two shifts, as one by 32 is not possible.
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
