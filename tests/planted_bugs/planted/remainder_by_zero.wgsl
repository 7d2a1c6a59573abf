@group(0) @binding(0) var<storage, read_write> data: array<i32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let size = vec2<i32>(7, data[i]);
    let rest = vec2<i32>(i32(i)) % size; //~ division-by-zero
    data[i] = rest.x + rest.y;
}
