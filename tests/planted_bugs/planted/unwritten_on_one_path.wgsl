@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var level: u32;
    if i < 40u { level = 1u; }
    data[i] = level; //~ uninitialised level
}
