//! WGSL with names and types that Rust checks: a mismatch with the kernel is a compile error.

#![forbid(unsafe_code)]

use anywarp::Device;

anywarp::kernels!("shaders/saxpy.wgsl");

anywarp::kernels!(mod bodies {
    r"
    /// A moving body.
    struct Body {
        position: vec3<f32>,
        mass: f32,
        /// In units of length per step.
        velocity: vec3<f32>,
    }
    override drag: f32 = 0.5;
    @group(0) @binding(0) var<storage, read_write> bodies: array<Body>;

    /// Moves every body by its velocity, and slows it down.
    @compute @workgroup_size(64)
    fn move_on(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&bodies) {
            bodies[id.x].position += bodies[id.x].velocity;
            bodies[id.x].velocity *= 1.0 - drag;
        }
    }"
});

fn main() -> anywarp::Result<()> {
    let device = Device::open_default()?;

    let saxpy = saxpy::saxpy(&device)?;
    let x = device.buffer_from(&[1.0f32; 1000])?;
    let mut y = device.buffer_from(&[2.0f32; 1000])?;
    let params = saxpy::Params { a: 3.0 };
    saxpy.launch(saxpy::Args { params, x: &x, y: &mut y }).threads(1000)?;
    assert!(y.read()?.iter().all(|value| *value == 5.0));

    // Rust's struct has WGSL's layout: vec3<f32> takes 12 bytes, and `mass` follows it directly.
    let body = bodies::Body::new([0.0; 3], 1.0, [1.0, 2.0, 4.0]);
    let mut bodies = device.buffer_from(&[body; 100])?;
    let move_on = bodies::move_on_with(&device, bodies::Overrides { drag: 0.25 })?;
    move_on.launch(bodies::Args { bodies: &mut bodies }).threads(100)?;
    let moved = bodies.read()?[99];
    assert_eq!(moved, bodies::Body::new([1.0, 2.0, 4.0], 1.0, [0.75, 1.5, 3.0]));

    println!("{}: y = {}, {moved:?}", device.caps().name, y.read()?[0]);
    Ok(())
}
