//! The sum of many values, through a tree in workgroup memory.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, Step, on_device, on_host, random_floats, words};
use crate::opencl::Argument::Memory;

const LENGTH: usize = 1 << 22;
/// The number of values that a workgroup sums.
const BLOCK: usize = 2048;

pub(super) fn case() -> Case {
    let values: Vec<f32> = random_floats(LENGTH, 1).into_iter().map(f32::abs).collect();
    let expected = values.iter().map(|value| f64::from(*value)).sum::<f64>() as f32;
    let device_values = values.clone();
    Case {
        name: "reduction",
        bytes: Some(4 * LENGTH as u64),
        expected: Expected::Within(vec![expected], 1e-5 * expected),
        spmd: Spmd {
            text: include_str!("../spmd/reduction.ispc"),
            size: 0,
            inputs: [words(&values), Vec::new()],
            initial: vec![0],
            units: LENGTH / BLOCK,
            parallel: false,
        },
        opencl: Program {
            text: include_str!("../opencl/reduction.cl"),
            temporaries: vec![LENGTH / BLOCK],
            steps: vec![
                Step::launch(c"reduce", [Memory(0), Memory(2)], LENGTH / BLOCK),
                Step::launch(c"reduce", [Memory(2), Memory(1)], 1),
            ],
        },
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("reduction.wgsl"))?;
            let values = device.buffer_from(&device_values)?;
            let mut sums = device.buffer::<f32>(LENGTH / BLOCK)?;
            on_device(device, vec![0.0f32], move |sum| {
                kernel.launch().bind("values", &values).bind("sums", &mut sums).groups(LENGTH / BLOCK)?;
                kernel.launch().bind("values", &sums).bind("sums", sum).groups(1u32)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let values = values.clone();
            on_host(vec![0.0f32], move |sum: &mut [f32]| sum[0] = values.par_chunks(CHUNK).map(sum_chunk).sum())
        }),
    }
}

/// Adds to 16 partial sums in turn, because each addition to a single sum would wait for the previous one.
fn sum_chunk(values: &[f32]) -> f32 {
    let (rows, rest) = values.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for row in rows {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums.iter().chain(rest).sum()
}
