struct Pair { first: u32, second: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var pair: Pair;
    pair.first = i;
    data[i] = pair.first + pair.second; //~ uninitialised pair.second
}
