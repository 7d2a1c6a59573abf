@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn add(sum: ptr<function, u32>, value: u32) {
    *sum += value; //~ uninitialised sum
}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum: u32;
    add(&sum, i);
    add(&sum, 2u * i);
    data[i] = sum;
}
