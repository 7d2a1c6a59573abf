// Unpacks keys of 8 or 16 bits to one word each, whose lower bits are zero, and packs the sorted keys again.
struct Sizes {
    length: u32,
    // The index of the first key in the packed array.
    first: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> packed: array<u32>;
@group(0) @binding(2) var<storage, read_write> unpacked: array<u32>;
@group(0) @binding(3) var<storage> sorted: array<u32>;
@group(0) @binding(4) var<storage, read_write> packed_again: array<u32>;

// The size of a key in bits.
override bits: u32 = 16u;

@compute @workgroup_size(256)
fn unpack(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.length {
        let at = sizes.first + id.x;
        let each = 32u / bits;
        // The shift to the left drops the keys above this key in its word.
        unpacked[id.x] = (packed[at / each] >> (at % each * bits)) << (32u - bits);
    }
}

// Each invocation writes one word, in which keys outside the array are unchanged.
@compute @workgroup_size(256)
fn pack(@builtin(global_invocation_id) id: vec3<u32>) {
    let each = 32u / bits;
    let begin = id.x * each;
    let end = sizes.first + sizes.length;
    if begin >= end || begin + each <= sizes.first {
        return;
    }
    var word = 0u;
    if begin < sizes.first || begin + each > end {
        word = packed_again[id.x];
    }
    for (var k = 0u; k < each; k++) {
        let at = begin + k;
        if at >= sizes.first && at < end {
            let mask = (0xffffffffu >> (32u - bits)) << (k * bits);
            word = (word & ~mask) | ((sorted[at - sizes.first] >> (32u - bits)) << (k * bits));
        }
    }
    packed_again[id.x] = word;
}
