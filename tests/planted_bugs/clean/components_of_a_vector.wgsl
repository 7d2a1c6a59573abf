@group(0) @binding(0) var<storage, read_write> data: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i / 4u][i % 4u] = f32(i);
}
