var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn exchange(i: u32, value: u32) -> u32 {
    tile[i] = value;
    workgroupBarrier();
    let other = tile[63u - i];
    workgroupBarrier();
    return other;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = exchange(i, i) + exchange(i, 2u * i);
}
