//! Two galaxies that collide: every body attracts every other one, and the picture is also drawn on the device.
//!
//! `cargo run --release --example 13_nbody -- [BODIES] [STEPS]` writes `nbody.png`.

use std::f32::consts::TAU;
use std::time::Instant;

use anywarp::{Device, Wgsl};

const SIZE: [u32; 2] = [720, 405];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let count = numbers.next().transpose()?.unwrap_or(4096).max(2);
    let steps = numbers.next().transpose()?.unwrap_or(200);
    let device = Device::open_default()?;
    let kernel = |entry| device.kernel(Wgsl::new(include_str!("shaders/nbody.wgsl")).file("nbody.wgsl").entry(entry));
    let (attract, shine, develop) = (kernel("attract")?, kernel("shine")?, kernel("develop")?);

    let (bodies, moving): (Vec<_>, Vec<_>) = (0..count).map(|body| star(body, count)).unzip();
    let mut bodies = [device.buffer_from(&bodies)?, device.buffer_from(&bodies)?];
    let mut velocities = device.buffer_from(&moving)?;
    let start = Instant::now();
    for _ in 0..steps {
        let [old, next] = &mut bodies;
        let launch = attract.launch().set("sky.step", 0.005f32).set("sky.size", SIZE).set("sky.reach", 1.0f32);
        launch.bind("old", &*old).bind("next", &mut *next).bind("velocities", &mut velocities).threads(count)?;
        bodies.swap(0, 1);
    }
    device.synchronize()?;
    let pairs = count as f64 * count as f64 * steps as f64;
    let rate = pairs / start.elapsed().as_secs_f64() / 1e9;
    println!("{}: {count} bodies, {steps} steps, {rate:.2} G interactions/s", device.caps().name);

    let area = (SIZE[0] * SIZE[1]) as usize;
    let (mut light, mut pixels) = (device.buffer::<u32>(3 * area)?, device.buffer::<u32>(area)?);
    let launch = shine.launch().set("sky.step", 0.0f32).set("sky.size", SIZE).set("sky.reach", 0.9f32);
    launch.bind("old", &bodies[0]).bind("velocities", &velocities).bind("light", &mut light).threads(count)?;
    develop.launch().bind("light", &light).bind("pixels", &mut pixels).threads(area)?;
    let pixels = pixels.read()?;
    picture::save("nbody.png", SIZE, bytemuck::cast_slice(&pixels))
}

/// A body of one of two discs: its position and mass; its velocity and the number of its disc.
fn star(body: usize, count: usize) -> ([f32; 4], [f32; 4]) {
    const CORE: f32 = 0.6; // the mass in the middle of each disc, six times the mass of all other bodies
    let (disc, number) = (body % 2, (body / 2) as f32);
    let sign = [-1.0, 1.0][disc];
    let (centre, drift) = ([sign * 0.6, sign * 0.35], [-sign * 0.6, 0.0]);
    if body < 2 {
        return ([centre[0], centre[1], 0.0, CORE], [drift[0], drift[1], 0.0, disc as f32]);
    }
    // Spread in irrational steps: evenly, without a visible pattern, and identical on every machine.
    let radius = 0.04 + 0.4 * (number * 0.754_877_7).fract().sqrt();
    let (sin, cos) = (TAU * (number * 0.569_840_3).fract()).sin_cos();
    let speed = -sign * (CORE / radius).sqrt();
    let position = [centre[0] + radius * cos, centre[1] + radius * sin, 0.0, 0.2 / count as f32];
    (position, [drift[0] - speed * sin, drift[1] + speed * cos, 0.0, disc as f32])
}
