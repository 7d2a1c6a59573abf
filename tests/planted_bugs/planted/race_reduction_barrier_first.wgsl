// The barrier comes first in the loop body, so there is none between the last iteration and the use.
var<workgroup> sums: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    sums[i] = data[i];
    for (var stride = 32u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if i < stride {
            sums[i] += sums[i + stride];
        }
    }
    data[i] = sums[0]; //~ race sums
}
