//! stops
var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn exchange(i: u32) -> u32 {
    tile[i] = i;
    workgroupBarrier(); //~ divergent-barrier
    return tile[i];
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 32u || data[i] != 0u { data[i] = exchange(i); }
}
