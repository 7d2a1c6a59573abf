// Bodies that attract each other, and their picture.
struct Sky {
    size: vec2<u32>,
    // Half the height of the visible region.
    reach: f32,
    step: f32,
}

@group(0) @binding(0) var<uniform> sky: Sky;
@group(0) @binding(1) var<storage> old: array<vec4<f32>>; // position, mass
@group(0) @binding(2) var<storage, read_write> next: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> velocities: array<vec4<f32>>; // velocity, colour
@group(0) @binding(4) var<storage, read_write> light: array<atomic<u32>>; // three colours per pixel
@group(0) @binding(5) var<storage, read_write> pixels: array<u32>;

// Every body is attracted by every other one. All indices are provably in range, so no check remains.
@compute @workgroup_size(64)
fn attract(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = arrayLength(&old);
    if id.x >= count || id.x >= arrayLength(&next) || id.x >= arrayLength(&velocities) {
        return;
    }
    let here = old[id.x];
    var pull = vec3<f32>();
    for (var other = 0u; other < count; other++) {
        let there = old[other];
        let way = there.xyz - here.xyz;
        let near = inverseSqrt(dot(way, way) + 0.0004); // softened, so that the distance is never 0
        pull += way * (there.w * near * near * near);
    }
    let velocity = velocities[id.x].xyz + sky.step * pull;
    velocities[id.x] = vec4(velocity, velocities[id.x].w);
    next[id.x] = vec4(here.xyz + sky.step * velocity, here.w);
}

// Each body adds its light to the pixels around it.
@compute @workgroup_size(64)
fn shine(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&old) {
        return;
    }
    let scale = 0.5 * f32(sky.size.y) / sky.reach;
    let at = vec2<f32>(sky.size) * 0.5 + old[id.x].xy * scale;
    let colour = mix(vec3(1.0, 0.55, 0.25), vec3(0.3, 0.55, 1.0), velocities[id.x].w);
    for (var y = -4; y <= 4; y++) {
        for (var x = -4; x <= 4; x++) {
            let pixel = vec2<i32>(floor(at)) + vec2(x, y);
            if any(pixel < vec2(0)) || any(vec2<u32>(pixel) >= sky.size) {
                continue;
            }
            let away = vec2<f32>(pixel) + 0.5 - at;
            let brightness = exp(-0.7 * dot(away, away)) + 0.05 * exp(-0.12 * dot(away, away));
            let first = 3 * (u32(pixel.y) * sky.size.x + u32(pixel.x));
            for (var channel = 0u; channel < 3; channel++) {
                atomicAdd(&light[first + channel], u32(1000.0 * brightness * colour[channel]));
            }
        }
    }
}

// Converts light to colours; saturates bright pixels smoothly.
@compute @workgroup_size(64)
fn develop(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&pixels) {
        return;
    }
    var colour = vec3<f32>();
    for (var channel = 0u; channel < 3; channel++) {
        colour[channel] = 1.0 - exp(-0.0012 * f32(atomicLoad(&light[3 * id.x + channel])));
    }
    pixels[id.x] = pack4x8unorm(vec4(pow(colour, vec3(0.8)), 1.0));
}
