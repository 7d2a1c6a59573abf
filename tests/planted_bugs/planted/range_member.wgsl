struct Body { place: vec3<f32>, history: array<f32, 4> }
//! buffer bodies 64
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    bodies[i].history[i] = 1.0; //~ out-of-range bodies.history
}
