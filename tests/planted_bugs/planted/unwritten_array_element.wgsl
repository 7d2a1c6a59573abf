@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var list: array<u32, 16>;
    for (var k = 0u; k < 15u; k++) { list[k] = k * i; }
    data[i] = list[i + 8u]; //~ uninitialised list
}
