// A 3x3 convolution of an image of one channel; its edge pixels are repeated outwards.
struct Params {
    // Row y of the filter is column y of the matrix.
    weights: mat3x3<f32>,
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> convolved: array<f32>;

fn pixel(x: i32, y: i32) -> f32 {
    let column = u32(clamp(x, 0, i32(params.width) - 1));
    let row = u32(clamp(y, 0, i32(params.height) - 1));
    return source[row * params.width + column];
}

@compute @workgroup_size(16, 16)
fn conv3x3(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let x = i32(id.x);
    let y = i32(id.y);
    var sum = 0.0;
    for (var row = 0; row < 3; row++) {
        for (var column = 0; column < 3; column++) {
            sum += params.weights[row][column] * pixel(x + column - 1, y + row - 1);
        }
    }
    convolved[id.y * params.width + id.x] = sum;
}
