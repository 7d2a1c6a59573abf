//! groups 4
//! buffer data 256 iota
var<workgroup> sums: array<u32, 64>;
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    sums[i] = data[group.x * 64u + i];
    workgroupBarrier();
    for (var stride = 32u; stride > 0u; stride /= 2u) {
        if i < stride { sums[i] += sums[i + stride]; }
        workgroupBarrier();
    }
    if i == 0u { result[group.x] = sums[0]; }
}
