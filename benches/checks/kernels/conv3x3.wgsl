// A 3x3 convolution of an image of one channel; its edge pixels are repeated outwards.
struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> weights: array<f32, 9>;
@group(0) @binding(2) var<storage> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> convolved: array<f32>;

@compute @workgroup_size(16, 16)
fn conv3x3(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    var sum = 0.0;
    for (var row = 0; row < 3; row++) {
        for (var column = 0; column < 3; column++) {
            let x = clamp(i32(id.x) + column - 1, 0, i32(params.width) - 1);
            let y = clamp(i32(id.y) + row - 1, 0, i32(params.height) - 1);
            sum += weights[row * 3 + column] * source[u32(y) * params.width + u32(x)];
        }
    }
    convolved[id.y * params.width + id.x] = sum;
}
