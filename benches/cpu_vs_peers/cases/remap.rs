//! Gathers: a picture through a map of positions.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const SIDE: usize = 2048;
const COUNT: usize = SIDE * SIDE;

pub(super) fn case() -> Case {
    let picture = random_floats(COUNT, 1);
    let positions = swirl();
    let expected = positions.iter().map(|position| exact(&picture, position.map(f64::from)) as f32).collect();
    let (device_picture, device_positions) = (picture.clone(), positions.clone());
    Case {
        name: "remap",
        bytes: None,
        expected: Expected::Within(expected, 1e-5),
        spmd: Spmd {
            text: include_str!("../spmd/remap.ispc"),
            size: 0,
            inputs: [words(&picture), words(&positions)],
            initial: vec![0; COUNT],
            units: COUNT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/remap.cl"), [COUNT, 1], [64, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("remap.wgsl"))?;
            let (picture, positions) = (device.buffer_from(&device_picture)?, device.buffer_from(&device_positions)?);
            on_device(device, vec![0.0f32; COUNT], move |result| {
                let launch = kernel.launch().set("params", [SIDE as u32; 2]).bind("picture", &picture);
                launch.bind("positions", &positions).bind("result", result).threads(COUNT)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let (picture, positions) = (picture.clone(), positions.clone());
            on_host(vec![0.0f32; COUNT], move |result: &mut [f32]| {
                result.par_chunks_mut(CHUNK).zip(positions.par_chunks(CHUNK)).for_each(|(result, positions)| {
                    for (result, position) in result.iter_mut().zip(positions) {
                        *result = sampled(&picture, *position);
                    }
                });
            })
        }),
    }
}

/// Positions on circles around the middle, further turned the nearer they are to it.
fn swirl() -> Vec<[f32; 2]> {
    let half = SIDE as f32 / 2.0;
    let turned = |at: usize| {
        let (x, y) = ((at % SIDE) as f32 - half, (at / SIDE) as f32 - half);
        let (sin, cos) = (2.0 * (-(x * x + y * y) / (half * half)).exp()).sin_cos();
        [cos * x - sin * y, sin * x + cos * y].map(|value| (value + half).clamp(0.0, SIDE as f32 - 1.5))
    };
    (0..COUNT).map(turned).collect()
}

fn sampled(picture: &[f32], [x, y]: [f32; 2]) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (x - left, y - top);
    let first = top as usize * SIDE + left as usize;
    let above = picture[first] * (1.0 - across) + picture[first + 1] * across;
    let below = picture[first + SIDE] * (1.0 - across) + picture[first + SIDE + 1] * across;
    above * (1.0 - down) + below * down
}

/// The same as a sum of four weighted pixels, in double precision.
fn exact(picture: &[f32], [x, y]: [f64; 2]) -> f64 {
    let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
    let weighted = corners.map(|[right, down]: [usize; 2]| {
        let (at_x, at_y) = (x.floor() + right as f64, y.floor() + down as f64);
        let weight = (1.0 - (x - at_x).abs()) * (1.0 - (y - at_y).abs());
        weight * f64::from(picture[at_y as usize * SIDE + at_x as usize])
    });
    weighted.iter().sum()
}
