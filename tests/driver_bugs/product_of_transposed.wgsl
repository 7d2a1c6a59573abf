// The product of two transposed matrices of different shapes.
// in: 3 4
// right: 12
// wrong: lost
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var left = mat4x2<f32>();
    var right = mat2x3<f32>();
    left[0][0] = f32(values[0]);
    right[0][0] = f32(values[1]);
    result[0] = u32((transpose(left) * transpose(right))[0][0]);
}
