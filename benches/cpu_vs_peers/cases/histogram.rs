//! A histogram by atomics, first within a workgroup, then across all workgroups.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, Step, on_device, on_host, random_words};
use crate::opencl::Argument::Memory;

const LENGTH: usize = 1 << 22;
const BINS: usize = 256;
/// The number of values that a workgroup counts.
const BLOCK: usize = BINS * 16;

type Counts = [u32; BINS];

pub(super) fn case() -> Case {
    let values = random_words(LENGTH, 1);
    let expected = count([0; BINS], &values).to_vec();
    let device_values = values.clone();
    Case {
        name: "histogram",
        bytes: None,
        expected: Expected::Exactly(expected),
        spmd: Spmd {
            text: include_str!("../spmd/histogram.ispc"),
            size: 0,
            inputs: [values.clone(), Vec::new()],
            initial: vec![0; BINS],
            units: LENGTH,
            parallel: false,
        },
        opencl: Program {
            text: include_str!("../opencl/histogram.cl"),
            temporaries: Vec::new(),
            steps: vec![Step::Clear, Step::launch(c"run", [Memory(0), Memory(1)], LENGTH / BLOCK)],
        },
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("histogram.wgsl"))?;
            let values = device.buffer_from(&device_values)?;
            on_device(device, vec![0u32; BINS], move |bins| {
                bins.fill(0)?;
                kernel.launch().bind("values", &values).bind("bins", bins).groups(LENGTH / BLOCK)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let values = values.clone();
            on_host(vec![0u32; BINS], move |bins: &mut [u32]| {
                let counts = values.par_chunks(CHUNK).fold(|| [0; BINS], count).reduce(|| [0; BINS], add);
                bins.copy_from_slice(&counts);
            })
        }),
    }
}

fn count(mut counts: Counts, values: &[u32]) -> Counts {
    for value in values {
        counts[(value >> 24) as usize] += 1;
    }
    counts
}

fn add(mut sums: Counts, counts: Counts) -> Counts {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
    sums
}
