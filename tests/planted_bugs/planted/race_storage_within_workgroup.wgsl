@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = i;
    workgroupBarrier(); // orders workgroup memory only
    let other = data[63u - i]; //~ race data
    storageBarrier();
    data[i] = other;
}
