var<workgroup> tile: array<u32, 32>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var round = 0u; round < 2u; round++) {
        tile[i] = data[round * 32u + i];
        workgroupBarrier();
        sum += tile[31u - i];
        workgroupBarrier();
    }
    data[32u + i] = sum;
}
