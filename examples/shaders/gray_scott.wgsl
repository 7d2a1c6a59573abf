// Reaction and diffusion by Gray and Scott: `u` feeds `v`, `v` turns `u` into more `v`, and both diffuse.
struct Dish {
    size: vec2<u32>,
    feed: f32,
    kill: f32,
}

@group(0) @binding(0) var<uniform> dish: Dish;
@group(0) @binding(1) var<storage> old: array<vec2<f32>>; // u, v
@group(0) @binding(2) var<storage, read_write> next: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> pixels: array<u32>;

// The dish wraps around at its borders.
fn at(column: u32, row: u32) -> vec2<f32> {
    return old[row % dish.size.y * dish.size.x + column % dish.size.x];
}

@compute @workgroup_size(16, 16)
fn react(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= dish.size) {
        return;
    }
    let left = id.x + dish.size.x - 1;
    let above = id.y + dish.size.y - 1;
    let sides = at(left, id.y) + at(id.x + 1, id.y) + at(id.x, above) + at(id.x, id.y + 1);
    let corners = at(left, above) + at(id.x + 1, above) + at(left, id.y + 1) + at(id.x + 1, id.y + 1);
    let here = at(id.x, id.y);
    let spread = 0.2 * sides + 0.05 * corners - here;
    let reaction = here.x * here.y * here.y;
    let change = vec2(dish.feed * (1.0 - here.x) - reaction, reaction - (dish.feed + dish.kill) * here.y);
    next[id.y * dish.size.x + id.x] = here + vec2(1.0, 0.5) * spread + change;
}

// The amount of `v` as a colour, from deep blue over green to white; shaded as heights lit from the upper left.
@compute @workgroup_size(16, 16)
fn paint(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= dish.size) {
        return;
    }
    let height = at(id.x, id.y).y;
    let slope = at(id.x + 1, id.y + 1).y - at(id.x + dish.size.x - 1, id.y + dish.size.y - 1).y;
    let amount = smoothstep(0.02, 0.38, height);
    let low = mix(vec3(0.03, 0.06, 0.16), vec3(0.05, 0.52, 0.55), smoothstep(0.0, 0.55, amount));
    let colour = mix(low, vec3(0.98, 0.93, 0.72), smoothstep(0.5, 1.0, amount)) + 1.1 * slope;
    pixels[id.y * dish.size.x + id.x] = pack4x8unorm(vec4(colour, 1.0));
}
