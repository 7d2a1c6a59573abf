// The Mandelbrot set: the number of steps z -> z * z + c until z leaves the circle, as a colour.
struct View {
    centre: vec2<f32>,
    // The width of the picture in the complex plane.
    width: f32,
    most_steps: u32,
    size: vec2<u32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>; // red, green, blue, opacity

@compute @workgroup_size(16, 16)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= view.size) {
        return;
    }
    // Four samples per pixel, so that fine lines do not flicker.
    var colour = vec3<f32>();
    for (var part = 0u; part < 4; part++) {
        let at = vec2<f32>(id.xy) + 0.25 + 0.5 * vec2(f32(part % 2), f32(part / 2));
        let offset = (at - 0.5 * vec2<f32>(view.size)) * (view.width / f32(view.size.x));
        colour += 0.25 * colour_of(view.centre + vec2(offset.x, -offset.y));
    }
    pixels[id.y * view.size.x + id.x] = pack4x8unorm(vec4(colour, 1.0));
}

fn colour_of(c: vec2<f32>) -> vec3<f32> {
    var z = vec2<f32>();
    for (var step = 0u; step < view.most_steps; step++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        let square = dot(z, z);
        if square > 256.0 {
            // Smooth between two steps: the distance outside the circle gives the fraction.
            let steps = f32(step) + 1.0 - log2(0.5 * log2(square));
            let phase = 0.35 * sqrt(steps) + vec3(0.52, 0.60, 0.70);
            return 0.5 - 0.5 * cos(6.2831853 * phase);
        }
    }
    return vec3<f32>(); // inside, within the step limit
}
