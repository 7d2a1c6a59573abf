// A pattern of up to 16 words, over and over.
//
// An invocation fills 16 words that are whole patterns apart, so that it looks at the pattern once; a workgroup fills
// 16 rows of 256.
struct Sizes {
    // Words to fill, and where they begin in what is bound.
    length: u32,
    first: u32,
    // Words of the pattern, and the one to begin with.
    period: u32,
    phase: u32,
    // From one row of a workgroup to the next: the least that is whole rows and whole patterns.
    span: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// A word in each x: uniforms have no smaller steps.
@group(0) @binding(1) var<uniform> pattern: array<vec4<u32>, 16>;
@group(0) @binding(2) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(256)
fn fill_pattern(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let rows = sizes.span / 256u;
    // The host keeps all of these sums within 32 bits.
    let begin = group.x / rows * sizes.span * 16u + group.x % rows * 256u + local;
    let word = pattern[(sizes.phase + begin) % sizes.period].x;
    for (var k = 0u; k < 16u; k++) {
        let at = begin + sizes.span * k;
        if at < sizes.length {
            x[sizes.first + at] = word;
        }
    }
}
