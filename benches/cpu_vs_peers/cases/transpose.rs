//! A memory-bound kernel, with strided access on one side.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const WIDTH: usize = 2048;
const HEIGHT: usize = 2048;
/// The side of the kernel's tile, in elements.
const TILE: usize = 32;
/// The number of rows in a tile of the plain Rust version: as the number of columns is a power of two, no more rows fit
/// the first-level cache at a time.
const HOST_TILE: usize = 8;

pub(super) fn case() -> Case {
    let source = random_floats(WIDTH * HEIGHT, 1);
    let expected = (0..WIDTH * HEIGHT).map(|at| source[at % HEIGHT * WIDTH + at / HEIGHT]).collect();
    let device_source = source.clone();
    Case {
        name: "transpose",
        bytes: Some(2 * 4 * (WIDTH * HEIGHT) as u64),
        expected: Expected::Within(expected, 0.0),
        spmd: Spmd {
            text: include_str!("../spmd/transpose.ispc"),
            size: 0,
            inputs: [words(&source), Vec::new()],
            initial: vec![0; WIDTH * HEIGHT],
            units: HEIGHT / TILE,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/transpose.cl"), [WIDTH, HEIGHT / 4], [TILE, TILE / 4]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("transpose.wgsl"))?;
            let source = device.buffer_from(&device_source)?;
            on_device(device, vec![0.0f32; WIDTH * HEIGHT], move |transposed| {
                let launch = kernel.launch().set("params", [WIDTH as u32, HEIGHT as u32]).bind("source", &source);
                launch.bind("transposed", transposed).groups([WIDTH / TILE, HEIGHT / TILE])?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let source = source.clone();
            on_host(vec![0.0f32; WIDTH * HEIGHT], move |transposed: &mut [f32]| transpose(&source, transposed))
        }),
    }
}

/// Transposes bands of rows of the result, tile by tile.
fn transpose(source: &[f32], transposed: &mut [f32]) {
    transposed.par_chunks_exact_mut(HOST_TILE * HEIGHT).enumerate().for_each(|(band, rows)| {
        for tile in 0..HEIGHT / HOST_TILE {
            for column in 0..HOST_TILE {
                let from = &source[(tile * HOST_TILE + column) * WIDTH + band * HOST_TILE..][..HOST_TILE];
                for (row, value) in from.iter().enumerate() {
                    rows[row * HEIGHT + tile * HOST_TILE + column] = *value;
                }
            }
        }
    });
}
