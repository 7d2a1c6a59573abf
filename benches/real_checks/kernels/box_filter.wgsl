// The mean of a square around each pixel; outside of the image, the nearest pixel of the edge counts.
struct Params { width: i32, height: i32, radius: i32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> picture: array<f32>;
@group(0) @binding(2) var<storage, read_write> blurred: array<f32>;

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    if at.x >= params.width || at.y >= params.height { return; }
    var sum = 0.0;
    for (var dy = -params.radius; dy <= params.radius; dy++) {
        for (var dx = -params.radius; dx <= params.radius; dx++) {
            let x = clamp(at.x + dx, 0, params.width - 1);
            let y = clamp(at.y + dy, 0, params.height - 1);
            sum += picture[y * params.width + x];
        }
    }
    let side = f32(2 * params.radius + 1);
    blurred[at.y * params.width + at.x] = sum / (side * side);
}
