//! A bitonic sort: many launches, many barriers. Every run sorts a fresh copy.

use anywarp::{Kernel, UnifiedBuffer, Wgsl};
use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, Step, on_device, on_host, random_words};
use crate::Outcome;
use crate::opencl::Argument::{self, Memory, Word};

const LENGTH: usize = 1 << 18;
/// The number of keys that a workgroup sorts in its own memory.
const BLOCK: usize = 512;

pub(super) fn case() -> Case {
    let values = random_words(LENGTH, 1);
    let mut expected = values.clone();
    expected.sort_unstable();
    let device_values = values.clone();
    Case {
        name: "sort",
        bytes: None,
        expected: Expected::Exactly(expected),
        spmd: Spmd {
            text: include_str!("../spmd/sort.ispc"),
            size: 0,
            inputs: [values.clone(), Vec::new()],
            initial: vec![0; LENGTH],
            units: LENGTH,
            parallel: false,
        },
        opencl: Program { text: include_str!("../opencl/sort.cl"), temporaries: Vec::new(), steps: opencl_steps() },
        on_device: Box::new(move |device| {
            let kernel = |entry| device.kernel(Wgsl::new(include_str!("sort.wgsl")).entry(entry));
            let kernels = [kernel("sort_blocks")?, kernel("exchange")?, kernel("merge_blocks")?];
            let values = device.buffer_from(&device_values)?;
            on_device(device, vec![0u32; LENGTH], move |keys| {
                keys.copy_from(&values)?;
                launch(&kernels, keys)
            })
        }),
        on_host: Box::new(move || {
            let values = values.clone();
            on_host(vec![0u32; LENGTH], move |keys: &mut [u32]| {
                keys.copy_from_slice(&values);
                keys.par_sort_unstable();
            })
        }),
    }
}

fn launch([sort_blocks, exchange, merge_blocks]: &[Kernel; 3], keys: &mut UnifiedBuffer<u32>) -> Outcome<()> {
    sort_blocks.launch().bind("keys", &mut *keys).groups(LENGTH / BLOCK)?;
    let mut stage = 2 * BLOCK;
    while stage <= LENGTH {
        let mut distance = stage / 2;
        while distance >= BLOCK {
            let launch = exchange.launch().set("params", [stage as u32, distance as u32]);
            launch.bind("keys", &mut *keys).threads(LENGTH / 2)?;
            distance /= 2;
        }
        let launch = merge_blocks.launch().set("params.stage", stage as u32).set("params.distance", 0u32);
        launch.bind("keys", &mut *keys).groups(LENGTH / BLOCK)?;
        stage *= 2;
    }
    Ok(())
}

/// The same launches for OpenCL.
fn opencl_steps() -> Vec<Step> {
    const KEYS: Argument = Memory(1);
    let mut steps = vec![Step::Copy, Step::launch(c"sort_blocks", [KEYS], LENGTH / BLOCK)];
    let mut stage = 2 * BLOCK;
    while stage <= LENGTH {
        let mut distance = stage / 2;
        while distance >= BLOCK {
            let arguments = [KEYS, Word(stage as u32), Word(distance as u32)];
            steps.push(Step::launch(c"exchange", arguments, LENGTH / BLOCK));
            distance /= 2;
        }
        steps.push(Step::launch(c"merge_blocks", [KEYS, Word(stage as u32)], LENGTH / BLOCK));
        stage *= 2;
    }
    steps
}
