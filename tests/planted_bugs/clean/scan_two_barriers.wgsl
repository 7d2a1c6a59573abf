var<workgroup> sums: array<u32, 32>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    sums[i] = data[i];
    workgroupBarrier();
    for (var offset = 1u; offset < 32u; offset *= 2u) {
        var sum = sums[i];
        if i >= offset { sum += sums[i - offset]; }
        workgroupBarrier();
        sums[i] = sum;
        workgroupBarrier();
    }
    data[i] = sums[i];
}
