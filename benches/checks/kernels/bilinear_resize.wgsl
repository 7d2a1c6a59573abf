// An image of one channel in another size.
struct Params {
    from_size: vec2<u32>,
    to_size: vec2<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> resized: array<f32>;

fn pixel(x: u32, y: u32) -> f32 {
    let last = params.from_size - 1u;
    return source[min(y, last.y) * params.from_size.x + min(x, last.x)];
}

@compute @workgroup_size(16, 16)
fn resize(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= params.to_size) {
        return;
    }
    let scale = vec2<f32>(params.from_size) / vec2<f32>(params.to_size);
    let at = max((vec2<f32>(id.xy) + 0.5) * scale - 0.5, vec2<f32>());
    let corner = vec2<u32>(at);
    let part = at - vec2<f32>(corner);
    let upper = mix(pixel(corner.x, corner.y), pixel(corner.x + 1u, corner.y), part.x);
    let lower = mix(pixel(corner.x, corner.y + 1u), pixel(corner.x + 1u, corner.y + 1u), part.x);
    resized[id.y * params.to_size.x + id.x] = mix(upper, lower, part.y);
}
