//! buffer data 64
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 0u || id.x >= 63u { return; }
    let left = data[id.x - 1u];
    let right = data[id.x + 1u];
    data[id.x] = left + right; //~ race data
}
