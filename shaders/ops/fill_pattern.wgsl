// A pattern of up to 16 words, over and over.
//
// An invocation fills 16 words that are whole patterns apart, so that it looks at the pattern once.
struct Sizes {
    // Words to fill, and where they begin in what is bound.
    length: u32,
    first: u32,
    // Words of the pattern, and the one to begin with.
    period: u32,
    phase: u32,
    // Words of as many whole patterns as 256 invocations fill at a time.
    row: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// A word in each x: uniforms have no smaller steps.
@group(0) @binding(1) var<uniform> pattern: array<vec4<u32>, 16>;
@group(0) @binding(2) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(256)
fn fill_pattern(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if local >= sizes.row {
        return;
    }
    // The host keeps all of these sums within 32 bits.
    let word = pattern[(sizes.phase + local) % sizes.period].x;
    let begin = group.x * sizes.row * 16u + local;
    for (var k = 0u; k < 16u; k++) {
        let at = begin + sizes.row * k;
        if at < sizes.length {
            x[sizes.first + at] = word;
        }
    }
}
