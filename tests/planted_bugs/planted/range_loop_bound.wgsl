var<workgroup> tile: array<u32, 16>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i;
    workgroupBarrier();
    var sum = 0u;
    for (var k = 0u; k <= 16u; k++) {
        sum += tile[k]; //~ out-of-range tile
    }
    data[i] = sum;
}
