//! groups 4
@group(0) @binding(0) var<storage, read_write> total: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    total[0] += group.x; //~ race-across-workgroups total
}
