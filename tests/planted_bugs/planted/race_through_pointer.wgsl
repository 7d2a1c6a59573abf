var<workgroup> cells: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 8u { cells[i] = 0u; }
    workgroupBarrier();
    let cell = &cells[i / 2u];
    *cell = *cell + 1u; //~ race cells
    workgroupBarrier();
    data[i] = cells[i % 8u];
}
