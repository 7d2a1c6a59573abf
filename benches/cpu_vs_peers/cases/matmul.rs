//! A matrix product through tiles in workgroup memory.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

pub(super) fn of_512() -> Case {
    case::<512>("matmul")
}

pub(super) fn of_1024() -> Case {
    case::<1024>("matmul_1024")
}

fn case<const SIZE: usize>(name: &'static str) -> Case {
    let (a, b) = (random_floats(SIZE * SIZE, 1), random_floats(SIZE * SIZE, 2));
    let (device_a, device_b) = (a.clone(), b.clone());
    Case {
        name,
        bytes: None,
        expected: Expected::Within(reference::<SIZE>(&a, &b), 2e-3),
        spmd: Spmd {
            text: include_str!("../spmd/matmul.ispc"),
            size: SIZE,
            inputs: [words(&a), words(&b)],
            initial: vec![0; SIZE * SIZE],
            units: SIZE / 16,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/matmul.cl"), [SIZE, SIZE], [16, 16]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("matmul.wgsl"))?;
            let (a, b) = (device.buffer_from(&device_a)?, device.buffer_from(&device_b)?);
            on_device(device, vec![0.0f32; SIZE * SIZE], move |product| {
                let launch = kernel.launch().set("params", [SIZE as u32; 3]).bind("a", &a).bind("b", &b);
                launch.bind("product", product).threads([SIZE, SIZE])?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let (a, b) = (a.clone(), b.clone());
            on_host(vec![0.0f32; SIZE * SIZE], move |product: &mut [f32]| multiply::<SIZE>(&a, &b, product))
        }),
    }
}

/// Computes each row of the product as a sum of rows of `b`, so that all memory is accessed in order.
fn multiply<const SIZE: usize>(a: &[f32], b: &[f32], product: &mut [f32]) {
    product.par_chunks_exact_mut(SIZE).zip(a.par_chunks_exact(SIZE)).for_each(|(product, a)| {
        product.fill(0.0);
        for (factor, b) in a.iter().zip(b.chunks_exact(SIZE)) {
            for (sum, value) in product.iter_mut().zip(b) {
                *sum += factor * value;
            }
        }
    });
}

fn reference<const SIZE: usize>(a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut product = vec![0.0f64; SIZE * SIZE];
    for (product, a) in product.chunks_exact_mut(SIZE).zip(a.chunks_exact(SIZE)) {
        for (factor, b) in a.iter().zip(b.chunks_exact(SIZE)) {
            for (sum, value) in product.iter_mut().zip(b) {
                *sum += f64::from(*factor) * f64::from(*value);
            }
        }
    }
    product.into_iter().map(|value| value as f32).collect()
}
