// Sums over the invocations of a workgroup of 256.
var<workgroup> sums: array<u32, 256>;

// Returns the sum of `value` over all invocations before this one. `sums` may be used again after a barrier.
fn exclusive_prefix(local: u32, value: u32) -> u32 {
    sums[local] = value;
    workgroupBarrier();
    for (var distance = 1u; distance < 256u; distance *= 2u) {
        var before = 0u;
        if local >= distance {
            before = sums[local - distance];
        }
        workgroupBarrier();
        sums[local] += before;
        workgroupBarrier();
    }
    return sums[local] - value;
}

// Returns the sum over all invocations, after `exclusive_prefix`.
fn total() -> u32 {
    return sums[255u];
}
