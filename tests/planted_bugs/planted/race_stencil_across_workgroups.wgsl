//! groups 8
//! buffer data 64
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let next = data[min(id.x + 1u, 63u)];
    storageBarrier();
    data[id.x] = next; //~ race-across-workgroups data
}
