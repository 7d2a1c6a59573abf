@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let turn = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, f32(i));
    data[i] = turn[i].z; //~ out-of-range turn
}
