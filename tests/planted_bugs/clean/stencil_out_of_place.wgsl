//! groups 2
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let last = arrayLength(&source) - 1u;
    let left = source[max(id.x, 1u) - 1u];
    let right = source[min(id.x + 1u, last)];
    data[id.x] = left + right;
}
