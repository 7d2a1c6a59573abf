//! set n 5
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 24>;
@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    workgroupBarrier();
    for (var k = 0u; k < n; k++) {
        let next = tile[(i + 1u) % 24u];
        workgroupBarrier();
        tile[i] = next;
        workgroupBarrier();
    }
    data[i] = tile[i];
}
