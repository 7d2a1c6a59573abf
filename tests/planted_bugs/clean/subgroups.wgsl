enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> sums: array<u32, 64>;
@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_id) group: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) groups: u32,
) {
    let sum = subgroupAdd(data[i]);
    if lane == 0u { sums[group] = sum; }
    workgroupBarrier();
    var total = 0u;
    for (var k = 0u; k < groups; k++) { total += sums[k]; }
    data[i] = total + subgroupShuffleXor(i, 1u);
}
