@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    var list = array<u32, 12>();
    list[i] = i; //~ out-of-range list
    data[i] = list[min(i, 11u)];
}
