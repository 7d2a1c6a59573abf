//! groups 2
// anywarp:debug
fn show(label: u32, value: f32) {}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] += 1u;
    if id.x % 3u == 0u { show(id.x, 0.5); }
}
