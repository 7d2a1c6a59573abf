//! groups 4
struct Result { total: atomic<u32>, most: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> result: Result;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&result.total, id.x);
    atomicMax(&result.most, id.x);
}
