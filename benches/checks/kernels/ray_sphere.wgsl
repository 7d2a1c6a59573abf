// Parallel rays through spheres: the depth at which each ray first hits one, or -1.
const SPHERES = 64u;

struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Centre and radius.
@group(0) @binding(1) var<storage> spheres: array<vec4<f32>, SPHERES>;
@group(0) @binding(2) var<storage, read_write> depths: array<f32>;

@compute @workgroup_size(8, 8)
fn trace(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let ray = vec2<f32>(id.xy) / vec2(f32(params.width), f32(params.height)) * 2.0 - 1.0;
    var nearest = 1e9;
    for (var i = 0u; i < SPHERES; i++) {
        let sphere = spheres[i];
        let offset = sphere.xy - ray;
        let rest = sphere.w * sphere.w - dot(offset, offset);
        if rest > 0.0 {
            nearest = min(nearest, sphere.z - sqrt(rest));
        }
    }
    depths[id.y * params.width + id.x] = select(nearest, -1.0, nearest == 1e9);
}
