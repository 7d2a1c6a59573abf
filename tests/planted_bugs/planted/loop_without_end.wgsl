//! stops
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var k = 1u;
    while k != 100u { //~ step-limit
        k += 2u;
    }
    data[i] = k;
}
