// The gradient magnitude of an image of one channel at each pixel; zero at the edge of the image.
struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> steepness: array<f32>;

@compute @workgroup_size(16, 16)
fn sobel(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let at = id.y * params.width + id.x;
    if id.x == 0u || id.y == 0u || id.x + 1u == params.width || id.y + 1u == params.height {
        steepness[at] = 0.0;
        return;
    }
    var pixels: array<array<f32, 3>, 3>;
    for (var row = 0u; row < 3u; row++) {
        for (var column = 0u; column < 3u; column++) {
            pixels[row][column] = source[(id.y + row - 1u) * params.width + id.x + column - 1u];
        }
    }
    let weights = array(1.0, 2.0, 1.0);
    var across = 0.0;
    var along = 0.0;
    for (var i = 0u; i < 3u; i++) {
        across += weights[i] * (pixels[i][2] - pixels[i][0]);
        along += weights[i] * (pixels[2][i] - pixels[0][i]);
    }
    steepness[at] = sqrt(across * across + along * along);
}
