// One step of bodies that all attract each other.
const TILE = 256u;
// Limits the force between close bodies, and of a body on itself.
const SOFTENING = 0.01;

struct Body {
    // The mass is in w.
    position: vec4<f32>,
    velocity: vec4<f32>,
}

struct Params {
    time_step: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> bodies: array<Body>;
@group(0) @binding(2) var<storage, read_write> moved: array<Body>;

var<workgroup> tile: array<vec4<f32>, TILE>;

@compute @workgroup_size(TILE)
fn step(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let count = arrayLength(&bodies);
    let own = min(id.x, count - 1u);
    let position = bodies[own].position.xyz;
    var acceleration = vec3<f32>();
    for (var start = 0u; start < count; start += TILE) {
        // Padded with a body without mass.
        var other = vec4<f32>();
        if start + local < count {
            other = bodies[start + local].position;
        }
        tile[local] = other;
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            let body = tile[i];
            let offset = body.xyz - position;
            let inverse = inverseSqrt(dot(offset, offset) + SOFTENING);
            acceleration += body.w * inverse * inverse * inverse * offset;
        }
        workgroupBarrier();
    }
    if id.x < count {
        let velocity = bodies[own].velocity.xyz + params.time_step * acceleration;
        moved[own].position = vec4(position + params.time_step * velocity, bodies[own].position.w);
        moved[own].velocity = vec4(velocity, 0.0);
    }
}
