var<workgroup> sums: array<array<u32, 32>, 2>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var which = 0u;
    sums[0][i] = data[i];
    workgroupBarrier();
    for (var offset = 1u; offset < 32u; offset *= 2u) {
        var sum = sums[which][i];
        if i >= offset { sum += sums[which][i - offset]; }
        which = 1u - which;
        sums[which][i] = sum;
        workgroupBarrier();
    }
    data[i] = sums[which][i];
}
