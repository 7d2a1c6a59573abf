//! A step of diffusion with conditions on the position and on the values.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const WIDTH: usize = 2048;
const HEIGHT: usize = 2048;

pub(super) fn case() -> Case {
    let values = random_floats(WIDTH * HEIGHT, 1);
    let device_values = values.clone();
    Case {
        name: "stencil",
        bytes: Some(2 * 4 * (WIDTH * HEIGHT) as u64),
        expected: Expected::Within(reference(&values), 1e-5),
        spmd: Spmd {
            text: include_str!("../spmd/stencil.ispc"),
            size: 0,
            inputs: [words(&values), Vec::new()],
            initial: vec![0; WIDTH * HEIGHT],
            units: HEIGHT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/stencil.cl"), [WIDTH, HEIGHT], [16, 16]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("stencil.wgsl"))?;
            let source = device.buffer_from(&device_values)?;
            on_device(device, vec![0.0f32; WIDTH * HEIGHT], move |next| {
                let launch = kernel.launch().set("params.width", WIDTH as u32).set("params.height", HEIGHT as u32);
                launch.bind("values", &source).bind("next", next).threads([WIDTH as u32, HEIGHT as u32])?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let values = values.clone();
            on_host(vec![0.0f32; WIDTH * HEIGHT], move |next: &mut [f32]| {
                next.par_chunks_exact_mut(WIDTH).enumerate().for_each(|(y, row)| step_row(&values, y, row));
            })
        }),
    }
}

fn step_row(values: &[f32], y: usize, next: &mut [f32]) {
    let own = &values[y * WIDTH..][..WIDTH];
    next.copy_from_slice(own);
    if y == 0 || y == HEIGHT - 1 {
        return;
    }
    let (above, below) = (&values[(y - 1) * WIDTH..][..WIDTH], &values[(y + 1) * WIDTH..][..WIDTH]);
    for x in 1..WIDTH - 1 {
        let change = 0.25 * (own[x - 1] + own[x + 1] + above[x] + below[x]) - own[x];
        next[x] = own[x] + if change > 0.0 { 0.75 } else { 0.5 } * change;
    }
}

fn reference(values: &[f32]) -> Vec<f32> {
    let mut next = vec![0.0; WIDTH * HEIGHT];
    next.chunks_exact_mut(WIDTH).enumerate().for_each(|(y, row)| step_row(values, y, row));
    next
}
