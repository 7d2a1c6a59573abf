//! groups 2
//! set n 50
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(48)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= n { return; }
    data[id.x] += 100u / (id.x + 1u);
}
