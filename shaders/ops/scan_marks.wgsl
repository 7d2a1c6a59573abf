// Sets a bit for each offset at which a segment begins.
struct Offsets {
    count: u32,
    first: u32,
    // The number of elements; offsets from this number on have no bit.
    length: u32,
}

@group(0) @binding(0) var<uniform> sizes: Offsets;
@group(0) @binding(1) var<storage> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> marks: array<atomic<u32>>;

@compute @workgroup_size(256)
fn scan_marks(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let at = offsets[sizes.first + id.x];
        if at < sizes.length {
            atomicOr(&marks[at / 32u], 1u << (at % 32u));
        }
    }
}
