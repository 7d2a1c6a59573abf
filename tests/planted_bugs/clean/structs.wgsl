struct Body { place: vec3<f32>, mass: f32, speed: vec3<f32> }
//! buffer bodies 64
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var body = bodies[i];
    body.speed += vec3<f32>(1.0, 0.0, 0.0);
    body.place += body.speed * body.mass;
    bodies[i] = body;
}
