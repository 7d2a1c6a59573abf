// Writes numbers of type f64 at equal distances: start + i * step.
struct Sizes {
    start: f64,
    step: f64,
    // The last element, if `has_last` is 1.
    last: f64,
    has_last: u32,
    count: u32,
    // The index of the first element in the binding.
    first: u32,
    // The index of the first element in the sequence, of which the binding may hold a part.
    base: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> y: array<f64>;

@compute @workgroup_size(256)
fn sequence_of_doubles(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        var number = sizes.start + f64(sizes.base + id.x) * sizes.step;
        if sizes.has_last != 0u && id.x + 1u == sizes.count {
            number = sizes.last;
        }
        y[sizes.first + id.x] = number;
    }
}
