@group(0) @binding(0) var<storage, read_write> data: array<i32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32) {
    let i = i32(index) - 3;
    if i >= 0 && i < 64 { data[i] = i; }
}
