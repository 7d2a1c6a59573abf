//! Prefix sums, with barriers within a workgroup and launches between workgroups.

use anywarp::Wgsl;
use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, Step, on_device, on_host, random_words};
use crate::opencl::Argument::Memory;

const LENGTH: usize = 1 << 20;
/// The number of values that a workgroup scans.
const BLOCK: usize = 1024;
const BLOCKS: usize = LENGTH / BLOCK;

pub(super) fn case() -> Case {
    let values = random_words(LENGTH, 1);
    let mut expected = values.clone();
    scan(&mut expected, 0);
    let device_values = values.clone();
    Case {
        name: "scan",
        bytes: None,
        expected: Expected::Exactly(expected),
        spmd: Spmd {
            text: include_str!("../spmd/scan.ispc"),
            size: 0,
            inputs: [values.clone(), Vec::new()],
            initial: vec![0; LENGTH],
            units: LENGTH,
            parallel: false,
        },
        opencl: Program {
            text: include_str!("../opencl/scan.cl"),
            temporaries: vec![BLOCKS, BLOCKS, 1],
            steps: vec![
                Step::launch(c"scan_blocks", [Memory(0), Memory(1), Memory(2)], BLOCKS),
                Step::launch(c"scan_blocks", [Memory(2), Memory(3), Memory(4)], 1),
                Step::launch(c"add_block_sums", [Memory(3), Memory(1)], BLOCKS),
            ],
        },
        on_device: Box::new(move |device| {
            let source = || Wgsl::new(include_str!("scan.wgsl"));
            let scan_blocks = device.kernel(source().entry("scan_blocks"))?;
            let add_block_sums = device.kernel(source().entry("add_block_sums"))?;
            let values = device.buffer_from(&quads(&device_values))?;
            let mut block_sums = device.buffer::<u32>(BLOCKS)?;
            let mut block_prefixes = device.buffer::<u32>(BLOCKS)?;
            let mut total = device.buffer::<u32>(1)?;
            on_device(device, vec![[0u32; 4]; LENGTH / 4], move |prefixes| {
                let launch = scan_blocks.launch().bind("values", &values).bind("prefixes", &mut *prefixes);
                launch.bind("block_sums", &mut block_sums).groups(BLOCKS)?;
                let launch = scan_blocks.launch().bind("values", &block_sums).bind("prefixes", &mut block_prefixes);
                launch.bind("block_sums", &mut total).groups(1u32)?;
                let launch = add_block_sums.launch().bind("block_prefixes", &block_prefixes);
                launch.bind("prefixes", prefixes).groups(BLOCKS)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let values = values.clone();
            on_host(vec![0u32; LENGTH], move |prefixes: &mut [u32]| scan_in_chunks(&values, prefixes))
        }),
    }
}

fn quads(values: &[u32]) -> Vec<[u32; 4]> {
    values.as_chunks::<4>().0.to_vec()
}

/// Computes the chunks' sums, then scans each chunk from the sum of the chunks before it.
fn scan_in_chunks(values: &[u32], prefixes: &mut [u32]) {
    let total = |chunk: &[u32]| chunk.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    let mut starts: Vec<u32> = values.par_chunks(CHUNK).map(total).collect();
    let mut sum = 0u32;
    for start in &mut starts {
        sum = sum.wrapping_add(std::mem::replace(start, sum));
    }
    prefixes.par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK)).zip(starts).for_each(|((prefixes, values), start)| {
        let mut sum = start;
        for (prefix, value) in prefixes.iter_mut().zip(values) {
            sum = sum.wrapping_add(*value);
            *prefix = sum;
        }
    });
}

fn scan(values: &mut [u32], start: u32) {
    values.iter_mut().fold(start, |sum, value| {
        *value = sum.wrapping_add(*value);
        *value
    });
}
