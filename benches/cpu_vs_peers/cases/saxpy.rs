//! y = a x + y on arrays larger than the caches.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, on_device, on_host, random_words, words};

const LENGTH: usize = 12 << 20;
const A: f32 = 0.5;

pub(super) fn case() -> Case {
    // The values are small integers, so that no sum of a run is rounded.
    let values = |seed| random_words(LENGTH, seed).into_iter().map(|word| (word >> 24) as f32).collect::<Vec<f32>>();
    let (x, y) = (values(1), values(2));
    let expected = x.iter().zip(&y).map(|(x, y)| A * x + y).collect();
    let (device_x, device_y) = (x.clone(), y.clone());
    Case {
        name: "saxpy",
        bytes: Some(3 * 4 * LENGTH as u64),
        expected: Expected::Within(expected, 0.0),
        spmd: Spmd {
            text: include_str!("../spmd/saxpy.ispc"),
            size: 0,
            inputs: [words(&x), Vec::new()],
            initial: words(&y),
            units: LENGTH,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/saxpy.cl"), [LENGTH, 1], [256, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("saxpy.wgsl"))?;
            let x = device.buffer_from(&device_x)?;
            on_device(device, device_y.clone(), move |y| {
                kernel.launch().set("params.a", A).bind("x", &x).bind("y", y).threads(LENGTH)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let x = x.clone();
            on_host(y.clone(), move |y: &mut [f32]| {
                y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
                    for (y, x) in y.iter_mut().zip(x) {
                        *y += A * x;
                    }
                });
            })
        }),
    }
}
