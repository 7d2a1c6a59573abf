//! groups 2,2
//! buffer source 1024 iota
//! buffer target_matrix 1024
var<workgroup> tile: array<array<u32, 17>, 16>;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_matrix: array<u32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    tile[id.y][id.x] = source[(group.y * 16u + id.y) * 32u + group.x * 16u + id.x];
    workgroupBarrier();
    target_matrix[(group.x * 16u + id.y) * 32u + group.y * 16u + id.x] = tile[id.x][id.y];
}
