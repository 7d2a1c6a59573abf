// The first workgroup writes, the second reads.
//! groups 2
//! buffer data 2
var<workgroup> flag: u32;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x == 0u { flag = 1u; }
    workgroupBarrier();
    data[group.x] = flag; //~ uninitialised flag
}
