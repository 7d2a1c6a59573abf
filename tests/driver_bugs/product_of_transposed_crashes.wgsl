// The product of two transposed matrices of other different shapes.
// in: 3 4
// right: 12
// wrong: crash
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var left = mat2x4<f32>();
    var right = mat4x3<f32>();
    left[0][0] = f32(values[0]);
    right[0][0] = f32(values[1]);
    result[0] = u32((transpose(left) * transpose(right))[0][0]);
}
