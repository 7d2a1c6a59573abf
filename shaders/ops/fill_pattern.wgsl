// Fills a range with a repeated pattern of up to 16 words.
//
// An invocation writes 16 words that are whole patterns apart, so that it reads the pattern once; a workgroup fills 16
// rows of 256 words.
struct Sizes {
    // The number of words to fill, and the index of the first of them in the binding.
    length: u32,
    first: u32,
    // The length of the pattern in words, and the index of the word of the pattern that is written first.
    period: u32,
    phase: u32,
    // The distance between rows of a workgroup in words: the least common multiple of the lengths of a row and of the
    // pattern.
    span: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// Component x of each vector is a word of the pattern: elements of uniform arrays have a stride of at least 16 bytes.
@group(0) @binding(1) var<uniform> pattern: array<vec4<u32>, 16>;
@group(0) @binding(2) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(256)
fn fill_pattern(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let rows = sizes.span / 256u;
    // The host keeps all these sums within 32 bits.
    let begin = group.x / rows * sizes.span * 16u + group.x % rows * 256u + local;
    let word = pattern[(sizes.phase + begin) % sizes.period].x;
    for (var k = 0u; k < 16u; k++) {
        let at = begin + sizes.span * k;
        if at < sizes.length {
            x[sizes.first + at] = word;
        }
    }
}
