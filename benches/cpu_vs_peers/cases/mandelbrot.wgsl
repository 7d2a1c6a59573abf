// The number of steps after which each point leaves the circle of radius 2.
struct Params {
    corner: vec2<f32>,
    pixel: f32,
    width: u32,
    height: u32,
    most: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(16, 16)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let c = params.corner + params.pixel * vec2<f32>(id.xy);
    var z = vec2<f32>();
    var count = 0u;
    while count < params.most && dot(z, z) <= 4.0 {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        count++;
    }
    steps[id.y * params.width + id.x] = count;
}
