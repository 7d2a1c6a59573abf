//! groups 2
//! buffer data 128 iota
var<workgroup> local_bins: array<atomic<u32>, 16>;
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&local_bins[data[id.x] % 16u], 1u);
    workgroupBarrier();
    if i < 16u { atomicAdd(&bins[i], atomicLoad(&local_bins[i])); }
}
