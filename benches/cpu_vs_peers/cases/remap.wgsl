// A picture through a map of positions, with bilinear interpolation: four gathers for each pixel.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<storage> picture: array<f32>;
@group(0) @binding(1) var<storage> positions: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(64)
fn remap(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&result) {
        return;
    }
    let position = positions[id.x];
    let whole = floor(position);
    let part = position - whole;
    let at = vec2<u32>(whole);
    let first = at.y * params.width + at.x;
    let above = mix(picture[first], picture[first + 1u], part.x);
    let below = mix(picture[first + params.width], picture[first + params.width + 1u], part.x);
    result[id.x] = mix(above, below, part.y);
}
