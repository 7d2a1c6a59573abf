enable f16;
//! buffer data 32
@group(0) @binding(0) var<storage, read_write> data: array<f16>;
var<workgroup> tile: array<f16, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = f16(i);
    workgroupBarrier();
    data[i] = tile[63u - i] + 1.0h;
}
