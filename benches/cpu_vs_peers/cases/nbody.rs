//! Bodies that all attract each other: arithmetic on vectors that many threads share.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const COUNT: usize = 4096;
const TIME_STEP: f32 = 0.1;
/// The softening of the kernel, which must be the same.
const SOFTENING: f32 = 0.01;

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, Zeroable)]
struct Body {
    /// The position in x, y and z, then the mass.
    position: [f32; 4],
    velocity: [f32; 4],
}
anywarp::element!(Body { position, velocity });

pub(super) fn case() -> Case {
    let bodies = bodies();
    let device_bodies = bodies.clone();
    Case {
        name: "nbody",
        bytes: None,
        expected: Expected::Within(reference(&bodies), 1e-4),
        spmd: Spmd {
            text: include_str!("../spmd/nbody.ispc"),
            size: 0,
            inputs: [words(&bodies), Vec::new()],
            initial: vec![0; 8 * COUNT],
            units: COUNT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/nbody.cl"), [COUNT, 1], [256, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("nbody.wgsl"))?;
            let bodies = device.buffer_from(&device_bodies)?;
            on_device(device, vec![Body::zeroed(); COUNT], move |moved| {
                let launch = kernel.launch().set("params.time_step", TIME_STEP);
                launch.bind("bodies", &bodies).bind("moved", moved).threads(COUNT)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let bodies = bodies.clone();
            on_host(vec![Body::zeroed(); COUNT], move |moved: &mut [Body]| {
                moved.par_iter_mut().zip(&bodies).for_each(|(moved, body)| *moved = step(body, &bodies));
            })
        }),
    }
}

/// Bodies in a cube, whose coordinates are at most one from its centre, with a total mass of one.
fn bodies() -> Vec<Body> {
    let random = random_floats(6 * COUNT, 1);
    let body = |values: &[f32]| Body {
        position: [values[0], values[1], values[2], 1.0 / COUNT as f32],
        velocity: [values[3], values[4], values[5], 0.0],
    };
    random.chunks_exact(6).map(body).collect()
}

fn step(body: &Body, bodies: &[Body]) -> Body {
    let [x, y, z, mass] = body.position;
    let mut acceleration = [0.0; 3];
    for other in bodies {
        let offset = [other.position[0] - x, other.position[1] - y, other.position[2] - z];
        let square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] + SOFTENING;
        let factor = other.position[3] / (square * square.sqrt());
        for (sum, offset) in acceleration.iter_mut().zip(offset) {
            *sum += factor * offset;
        }
    }
    let [u, v, w] = std::array::from_fn(|axis| body.velocity[axis] + TIME_STEP * acceleration[axis]);
    let position = [x + TIME_STEP * u, y + TIME_STEP * v, z + TIME_STEP * w, mass];
    Body { position, velocity: [u, v, w, 0.0] }
}

/// Computes the expected result with sums in double precision.
fn reference(bodies: &[Body]) -> Vec<f32> {
    let wide = |vector: [f32; 4]| vector.map(f64::from);
    let step = |body: &Body| {
        let (position, velocity) = (wide(body.position), wide(body.velocity));
        let mut acceleration = [0.0; 3];
        for other in bodies {
            let other = wide(other.position);
            let offset: [f64; 3] = std::array::from_fn(|axis| other[axis] - position[axis]);
            let square = offset.iter().map(|part| part * part).sum::<f64>() + f64::from(SOFTENING);
            for (sum, offset) in acceleration.iter_mut().zip(offset) {
                *sum += other[3] * offset * square.powf(-1.5);
            }
        }
        let time_step = f64::from(TIME_STEP);
        let velocity: [f64; 3] = std::array::from_fn(|axis| velocity[axis] + time_step * acceleration[axis]);
        let moved: [f64; 3] = std::array::from_fn(|axis| position[axis] + time_step * velocity[axis]);
        [moved[0], moved[1], moved[2], position[3], velocity[0], velocity[1], velocity[2], 0.0]
    };
    bodies.iter().flat_map(step).map(|value| value as f32).collect()
}
