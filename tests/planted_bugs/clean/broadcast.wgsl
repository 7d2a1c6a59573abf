var<workgroup> seed: u32;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 17u { seed = 5u; }
    workgroupBarrier();
    data[i] = seed + i;
}
