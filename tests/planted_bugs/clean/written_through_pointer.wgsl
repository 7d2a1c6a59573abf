@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn split(value: u32, low: ptr<function, u32>, high: ptr<function, u32>) {
    *low = value & 15u;
    *high = value >> 4u;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var low: u32;
    var high: u32;
    split(i, &low, &high);
    data[i] = low + high;
}
