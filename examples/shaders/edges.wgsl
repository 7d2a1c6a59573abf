// From a photograph to its edges, in four steps: blur by rows, blur by columns, slopes, thinning.
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage> photo: array<u32>; // red, green, blue, opacity
@group(0) @binding(2) var<storage> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> blurred: array<f32>;
@group(0) @binding(4) var<storage, read_write> slopes: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> pixels: array<u32>;

// A Gaussian with a deviation of 1.4 pixels; edge pixels are repeated outwards.
const weights = array<f32, 4>(0.2853, 0.2211, 0.1028, 0.0287);

fn index(x: i32, y: i32) -> u32 {
    let column = u32(clamp(x, 0, i32(size.x) - 1));
    return u32(clamp(y, 0, i32(size.y) - 1)) * size.x + column;
}

fn brightness(x: i32, y: i32) -> f32 {
    return dot(unpack4x8unorm(photo[index(x, y)]).rgb, vec3(0.299, 0.587, 0.114));
}

@compute @workgroup_size(16, 16)
fn blur_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= size) {
        return;
    }
    let at = vec2<i32>(id.xy);
    var sum = weights[0] * brightness(at.x, at.y);
    for (var far = 1; far < 4; far++) {
        sum += weights[far] * (brightness(at.x - far, at.y) + brightness(at.x + far, at.y));
    }
    blurred[id.y * size.x + id.x] = sum;
}

@compute @workgroup_size(16, 16)
fn blur_columns(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= size) {
        return;
    }
    let at = vec2<i32>(id.xy);
    var sum = weights[0] * source[index(at.x, at.y)];
    for (var far = 1; far < 4; far++) {
        sum += weights[far] * (source[index(at.x, at.y - far)] + source[index(at.x, at.y + far)]);
    }
    blurred[id.y * size.x + id.x] = sum;
}

// The Sobel gradient: its magnitude and direction.
@compute @workgroup_size(16, 16)
fn slope(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= size) {
        return;
    }
    let at = vec2<i32>(id.xy);
    var across = vec2<f32>();
    for (var far = -1; far <= 1; far++) {
        let weight = f32(2 - abs(far));
        across.x += weight * (source[index(at.x + 1, at.y + far)] - source[index(at.x - 1, at.y + far)]);
        across.y += weight * (source[index(at.x + far, at.y + 1)] - source[index(at.x + far, at.y - 1)]);
    }
    slopes[id.y * size.x + id.x] = across;
}

// Keeps pixels that are steeper than both neighbours across the edge; the colour shows the edge's direction.
@compute @workgroup_size(16, 16)
fn thin(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= size) {
        return;
    }
    let at = vec2<i32>(id.xy);
    let here = slopes[index(at.x, at.y)];
    let steep = length(here);
    let way = vec2<i32>(round(here / max(steep, 1e-6)));
    let before = length(slopes[index(at.x - way.x, at.y - way.y)]);
    let behind = length(slopes[index(at.x + way.x, at.y + way.y)]);
    var colour = 0.3 * unpack4x8unorm(photo[index(at.x, at.y)]).rgb; // the darkened photograph
    if steep >= before && steep > behind {
        let angle = atan2(here.y, here.x);
        colour += smoothstep(0.03, 0.25, steep) * (0.65 + 0.35 * cos(angle + vec3(0.0, 2.1, 4.2)));
    }
    pixels[id.y * size.x + id.x] = pack4x8unorm(vec4(colour, 1.0));
}
