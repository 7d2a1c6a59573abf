//! buffer data 64 iota
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let share = 100u / data[i]; //~ division-by-zero
    data[i] = share;
}
