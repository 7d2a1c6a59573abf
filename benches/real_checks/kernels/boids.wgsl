// Velocities of birds: adapted to those of near birds, and away from birds that are too near.
struct Params { count: u32, near: f32, too_near: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> birds: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> turned: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let own = id.x;
    if own >= params.count { return; }
    let bird = birds[own];
    var along = vec2<f32>(0.0);
    var apart = vec2<f32>(0.0);
    for (var i = 0u; i < params.count; i++) {
        if i == own { continue; }
        let other = birds[i];
        let away = other.xy - bird.xy;
        let square = dot(away, away);
        if square < params.near { along += other.zw; }
        if square < params.too_near { apart -= away; }
    }
    turned[own] = bird.zw + along * 0.001 + apart * 0.1;
}
