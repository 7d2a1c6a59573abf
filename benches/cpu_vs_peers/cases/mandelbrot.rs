//! A fractal: neighbouring invocations run different numbers of steps.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host};

const WIDTH: usize = 1024;
const HEIGHT: usize = 1024;
const CORNER: [f32; 2] = [-2.1, -1.4];
const PIXEL: f32 = 2.8 / WIDTH as f32;
const MAX_STEPS: u32 = 256;

pub(super) fn case() -> Case {
    Case {
        name: "mandelbrot",
        bytes: None,
        expected: Expected::Mostly((0..WIDTH * HEIGHT).map(|at| steps(at % WIDTH, at / WIDTH)).collect(), 0.005),
        spmd: Spmd {
            text: include_str!("../spmd/mandelbrot.ispc"),
            size: 0,
            inputs: [Vec::new(), Vec::new()],
            initial: vec![0; WIDTH * HEIGHT],
            units: HEIGHT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/mandelbrot.cl"), [WIDTH, HEIGHT], [16, 16]),
        on_device: Box::new(|device| {
            let kernel = device.kernel(include_str!("mandelbrot.wgsl"))?;
            on_device(device, vec![0u32; WIDTH * HEIGHT], move |steps| {
                let launch = kernel.launch().set("params.corner", CORNER).set("params.pixel", PIXEL);
                let launch = launch.set("params.width", WIDTH as u32).set("params.height", HEIGHT as u32);
                launch.set("params.most", MAX_STEPS).bind("steps", steps).threads([WIDTH, HEIGHT])?;
                Ok(())
            })
        }),
        on_host: Box::new(|| {
            on_host(vec![0u32; WIDTH * HEIGHT], |image: &mut [u32]| {
                image.par_chunks_exact_mut(WIDTH).enumerate().for_each(|(y, row)| {
                    for (x, count) in row.iter_mut().enumerate() {
                        *count = steps(x, y);
                    }
                });
            })
        }),
    }
}

fn steps(x: usize, y: usize) -> u32 {
    let c = [CORNER[0] + PIXEL * x as f32, CORNER[1] + PIXEL * y as f32];
    let mut z = [0.0f32; 2];
    let mut count = 0;
    while count < MAX_STEPS && z[0] * z[0] + z[1] * z[1] <= 4.0 {
        z = [z[0] * z[0] - z[1] * z[1] + c[0], 2.0 * z[0] * z[1] + c[1]];
        count += 1;
    }
    count
}
