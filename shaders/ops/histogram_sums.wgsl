// Rounds 64-bit sums to the nearest f32, ties to even, by integer arithmetic only: all devices return the same bits.
struct Sums {
    counters: u32,
    // The bit of a sum at which the highest bit of the greatest weight is.
    top: u32,
    // The index of the first result in its binding.
    first: u32,
}

@group(0) @binding(0) var<uniform> sums: Sums;
// The greatest absolute weight of each counter, then the low and the high word of each sum.
@group(0) @binding(1) var<storage> fixed: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

const infinity = 0x7f800000u;
const not_a_number = 0x7fc00000u;

fn bits_of(greatest: u32, number: vec2<u32>) -> u32 {
    if greatest >= infinity {
        // The two words count the positive and the negative infinities.
        let both = number.x > 0u && number.y > 0u;
        let one = select(infinity, infinity | 0x80000000u, number.y > 0u);
        return select(one, not_a_number, both || greatest > infinity);
    }
    let sign = number.y & 0x80000000u;
    var size = number;
    if sign != 0u {
        size = vec2(0u - number.x, ~number.y + u32(number.x == 0u));
    }
    if (size.x | size.y) == 0u {
        return 0u;
    }
    // The highest bit becomes bit 63.
    let zeros = select(countLeadingZeros(size.y), 32u + countLeadingZeros(size.x), size.y == 0u);
    if zeros >= 32u {
        size = vec2(0u, size.x);
    }
    let shift = zeros & 31u;
    size = vec2(size.x << shift, (size.y << shift) | (size.x >> 1u >> (31u - shift)));
    let exponent = i32(63u - zeros) + i32(max(greatest >> 23u, 1u)) - i32(sums.top);
    if exponent >= 255 {
        return sign | infinity;
    }
    // Numbers below the least normal number lose further bits.
    let lost = u32(8 + max(1 - exponent, 0));
    if lost > 32u {
        return sign;
    }
    let kept = select(size.y >> (lost & 31u), 0u, lost == 32u);
    let rest = select(size.y << (32u - lost), size.y, lost == 32u);
    let up = rest > 0x80000000u || (rest == 0x80000000u && (size.x != 0u || (kept & 1u) != 0u));
    // The highest bit of `kept` adds one to the exponent, and so does a carry of the rounding.
    return sign | ((u32(max(exponent, 1)) - 1u) << 23u) + kept + u32(up);
}

@compute @workgroup_size(256)
fn histogram_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sums.counters {
        let at = sums.counters + 2u * id.x;
        y[sums.first + id.x] = bits_of(fixed[id.x], vec2(fixed[at], fixed[at + 1u]));
    }
}
