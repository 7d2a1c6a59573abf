// Writes numbers at equal distances: start + i * step.
import package::shared::halves::rounded;
import package::shared::longs::sum;
import package::shared::philox::product;

struct Sizes {
    count: u32,
    // The index of the first element in the binding.
    first: u32,
    // The index of the first element in the sequence, of which the binding may hold a part.
    base: u32,
    // The bits of the start and of the step, the low word first.
    start: vec2<u32>,
    step: vec2<u32>,
    // The bits of the last element, if `has_last` is 1.
    last: u32,
    has_last: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

// The number of bits of an element, and whether elements are floats, which are computed in 32 bits.
override bits: u32 = 32u;
override is_float: bool = false;

fn number_at(at: u32) -> vec2<u32> {
    let i = sizes.base + at;
    if is_float {
        if sizes.has_last != 0u && at + 1u == sizes.count {
            return vec2(sizes.last, 0u);
        }
        let number = bitcast<f32>(sizes.start.x) + f32(i) * bitcast<f32>(sizes.step.x);
        if bits == 16u {
            return vec2(rounded(vec4(number)).x, 0u);
        }
        return vec2(bitcast<u32>(number), 0u);
    }
    // Numbers are computed modulo 2^64; their lower bits are the results for shorter integers.
    let low = product(i, sizes.step.x);
    return sum(sizes.start, vec2(low.y, low.x + i * sizes.step.y));
}

// Each invocation writes a word, or an element of two words.
@compute @workgroup_size(256)
fn sequence(@builtin(global_invocation_id) id: vec3<u32>) {
    if bits == 64u {
        if id.x < sizes.count {
            let number = number_at(id.x);
            y[2u * (sizes.first + id.x)] = number.x;
            y[2u * (sizes.first + id.x) + 1u] = number.y;
        }
        return;
    }
    let each = max(32u / bits, 1u);
    let skip = sizes.first % each;
    if id.x * each >= skip + sizes.count {
        return;
    }
    let at = sizes.first / each + id.x;
    let ones = 0xffffffffu >> (32u - min(bits, 32u));
    var word = 0u;
    var mask = 0u;
    for (var k = 0u; k < each; k++) {
        // Elements before the array have negative numbers, which wrap around to large ones.
        let i = id.x * each + k - skip;
        if i < sizes.count {
            word |= (number_at(i).x & ones) << (k * bits);
            mask |= ones << (k * bits);
        }
    }
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word |= y[at] & ~mask;
    }
    y[at] = word;
}
