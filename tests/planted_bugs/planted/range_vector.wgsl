@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let triple = vec3<u32>(i, 2u * i, 3u * i);
    data[i] = triple[i]; //~ out-of-range triple
}
