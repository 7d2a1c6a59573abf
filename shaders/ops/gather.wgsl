// Writes the elements at given positions of an array, one after another.
struct Sizes {
    length: u32,
    // The index of each array's first element in its binding.
    first_of_source: u32,
    first_of_places: u32,
    first_of_gathered: u32,
    // The number of positions of a row. They count from the beginning of the row of the source, of `stride` elements.
    row: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> source: array<u32>;
@group(0) @binding(2) var<storage> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> gathered: array<u32>;

// The number of words of an element, or for a shorter element its size in bits.
override words: u32 = 1u;
override element_bits: u32 = 32u;

fn place_of(at: u32) -> u32 {
    return sizes.first_of_source + places[sizes.first_of_places + at] + at / sizes.row * sizes.stride;
}

@compute @workgroup_size(256)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.length {
        return;
    }
    let from_word = place_of(id.x) * words;
    let to_word = (sizes.first_of_gathered + id.x) * words;
    for (var word = 0u; word < words; word++) {
        gathered[to_word + word] = source[from_word + word];
    }
}

// Each invocation writes one word, in which elements outside the array are unchanged.
@compute @workgroup_size(256)
fn gather_packed(@builtin(global_invocation_id) id: vec3<u32>) {
    let each = 32u / element_bits;
    let begin = id.x * each;
    let end = sizes.first_of_gathered + sizes.length;
    if begin >= end || begin + each <= sizes.first_of_gathered {
        return;
    }
    var word = 0u;
    if begin < sizes.first_of_gathered || begin + each > end {
        word = gathered[id.x];
    }
    for (var k = 0u; k < each; k++) {
        let at = begin + k;
        if at >= sizes.first_of_gathered && at < end {
            let from_element = place_of(at - sizes.first_of_gathered);
            let mask = (0xffffffffu >> (32u - element_bits)) << (k * element_bits);
            let element = source[from_element / each] >> (from_element % each * element_bits);
            word = (word & ~mask) | ((element << (k * element_bits)) & mask);
        }
    }
    gathered[id.x] = word;
}
