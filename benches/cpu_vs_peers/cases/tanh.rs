//! An elementwise function with transcendental operations.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const LENGTH: usize = 1 << 20;

pub(super) fn case() -> Case {
    let x: Vec<f32> = random_floats(LENGTH, 1).into_iter().map(|value| 8.0 * value).collect();
    let expected = x.iter().map(|x| (f64::from(*x).tanh() * 2.0 + 1.0) as f32).collect();
    let device_x = x.clone();
    Case {
        name: "tanh",
        bytes: None,
        // WGSL requires an absolute error of at most 1e-5 for tanh.
        expected: Expected::Within(expected, 5e-5),
        spmd: Spmd {
            text: include_str!("../spmd/tanh.ispc"),
            size: 0,
            inputs: [words(&x), Vec::new()],
            initial: vec![0; LENGTH],
            units: LENGTH,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/tanh.cl"), [LENGTH, 1], [64, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("tanh.wgsl"))?;
            let x = device.buffer_from(&device_x)?;
            on_device(device, vec![0.0f32; LENGTH], move |y| {
                kernel.launch().bind("x", &x).bind("y", y).threads(LENGTH)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let x = x.clone();
            on_host(vec![0.0f32; LENGTH], move |y: &mut [f32]| {
                y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
                    for (y, x) in y.iter_mut().zip(x) {
                        *y = x.tanh() * 2.0 + 1.0;
                    }
                });
            })
        }),
    }
}
