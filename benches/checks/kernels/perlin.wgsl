// Four octaves of Perlin's noise (2002) over a plane.
struct Params {
    width: u32,
    height: u32,
    cell: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> permutation: array<u32, 256>;
@group(0) @binding(2) var<storage, read_write> noise: array<f32>;

fn gradient(x: u32, y: u32, offset: vec2<f32>) -> f32 {
    let directions = array(
        vec2(1.0, 1.0), vec2(-1.0, 1.0), vec2(1.0, -1.0), vec2(-1.0, -1.0),
        vec2(1.0, 0.0), vec2(-1.0, 0.0), vec2(0.0, 1.0), vec2(0.0, -1.0),
    );
    let hash = permutation[(permutation[x & 255u] + y) & 255u];
    return dot(directions[hash & 7u], offset);
}

fn octave(at: vec2<f32>) -> f32 {
    let corner = floor(at);
    let cell = vec2<u32>(corner);
    let part = at - corner;
    let fade = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let upper = mix(gradient(cell.x, cell.y, part), gradient(cell.x + 1u, cell.y, part - vec2(1.0, 0.0)), fade.x);
    let lower = mix(
        gradient(cell.x, cell.y + 1u, part - vec2(0.0, 1.0)),
        gradient(cell.x + 1u, cell.y + 1u, part - 1.0),
        fade.x,
    );
    return mix(upper, lower, fade.y);
}

@compute @workgroup_size(16, 16)
fn perlin(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    var at = vec2<f32>(id.xy) / params.cell;
    var strength = 0.5;
    var sum = 0.0;
    for (var i = 0; i < 4; i++) {
        sum += strength * octave(at);
        at *= 2.0;
        strength *= 0.5;
    }
    noise[id.y * params.width + id.x] = sum;
}
