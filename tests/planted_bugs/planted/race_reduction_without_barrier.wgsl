var<workgroup> sums: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    sums[i] = data[i];
    workgroupBarrier();
    for (var stride = 32u; stride > 0u; stride /= 2u) {
        if i < stride {
            sums[i] += sums[i + stride]; //~ race sums
        }
    }
    if i == 0u { data[0] = sums[0]; }
}
