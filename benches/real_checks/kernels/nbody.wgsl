// Moves bodies, each of which is attracted by all others.
struct Params { count: u32, step: f32, softening: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> moved: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.count { return; }
    let body = bodies[id.x];
    var force = vec3<f32>(0.0);
    for (var other = 0u; other < params.count; other++) {
        let away = bodies[other].xyz - body.xyz;
        let square = dot(away, away) + params.softening;
        force += away * (bodies[other].w / (square * sqrt(square)));
    }
    moved[id.x] = vec4<f32>(body.xyz + force * params.step, body.w);
}
