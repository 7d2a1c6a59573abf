@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var pair = vec2<u32>(i, i);
    pair[i] = 1u; //~ out-of-range pair
    data[i] = pair.x;
}
