// Writes ones at the beginnings of segments, into an array of zeros.
struct Sizes {
    // The numbers of offsets and of elements.
    count: u32,
    length: u32,
    first_of_offsets: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> offsets: array<u32>;
// Atomic, as two offsets may be equal.
@group(0) @binding(2) var<storage, read_write> heads: array<atomic<u32>>;

@compute @workgroup_size(256)
fn mark(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let offset = offsets[sizes.first_of_offsets + id.x];
        if offset < sizes.length {
            atomicStore(&heads[offset], 1u);
        }
    }
}
