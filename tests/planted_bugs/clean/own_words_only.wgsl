// Each invocation changes its own words again and again: no barrier is needed.
var<workgroup> sums: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    sums[i] = 0u;
    for (var k = 0u; k < i; k++) {
        sums[i] += k;
        data[i] += sums[i];
    }
}
