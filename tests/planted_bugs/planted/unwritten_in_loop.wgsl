@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k < 4u; k++) {
        var term: u32;
        if k > 0u { term = k; }
        sum += term; //~ uninitialised term
    }
    data[i] = sum;
}
