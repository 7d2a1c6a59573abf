//! Random numbers, matrix products and one-line kernels.

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, IntegerMatmul, Matmul, Random};

use super::{holds, unwritten};
use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, ensure, equal};

pub(crate) const CASES: &[Case] = cases![
    random_bits_by_random123,
    uniform_numbers,
    normal_numbers,
    permutations,
    products_of_matrices,
    products_of_bytes,
    one_line
];

/// The first words are those of Philox4x32-10 with key and counter 0, from the known answers of Random123.
async fn random_bits_by_random123(device: &Device) -> TestResult {
    let mut y = unwritten(device, 1001)?;
    Random::new(0).bits(&mut y)?;
    holds(&y, &[0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8], "the known words").await?;
    let mut part = unwritten(device, 500)?;
    Random::new(0).offset(501).bits(&mut part)?;
    let all = y.read_here().await?.to_vec();
    holds(&part, &all[501..], "words from an offset").await
}

/// Uniform numbers are the upper 24 bits of each word, divided by 2^24, with the same bits on every device.
async fn uniform_numbers(device: &Device) -> TestResult {
    let (mut bits, mut y) = (unwritten(device, 1001)?, device.buffer::<f32>(1001)?);
    Random::new(7).bits(&mut bits)?;
    Random::new(7).uniform(&mut y)?;
    let wanted: Vec<f32> = bits.read_here().await?.iter().map(|bits| (bits >> 8) as f32 / 16_777_216.0).collect();
    holds(&y, &wanted, "uniform numbers").await
}

async fn normal_numbers(device: &Device) -> TestResult {
    let mut y = device.buffer::<f32>(20_000)?;
    Random::new(7).normal(&mut y)?;
    let y = y.read_here().await?;
    let mean = y.iter().map(|y| f64::from(*y)).sum::<f64>() / 20_000.0;
    let variance = y.iter().map(|y| (f64::from(*y) - mean).powi(2)).sum::<f64>() / 20_000.0;
    // The limits are five standard deviations of each estimate.
    ensure(mean.abs() < 0.036 && (variance - 1.0).abs() < 0.05, || format!("mean {mean}, variance {variance}"))
}

async fn permutations(device: &Device) -> TestResult {
    for length in [1, 2, 1000, 20_011] {
        let mut y = unwritten(device, length)?;
        Random::new(3).permutation(&mut y)?;
        let mut y = y.read_here().await?.to_vec();
        y.sort_unstable();
        equal(y, (0..length as u32).collect(), "the sorted permutation")?;
    }
    Ok(())
}

async fn products_of_matrices(device: &Device) -> TestResult {
    for [m, k, n] in [[1, 1, 1], [65, 33, 17], [3, 200, 129]] {
        let number = |at: usize| (at * 7 % 11) as f32 - 5.0;
        let (a, b): (Vec<f32>, Vec<f32>) = ((0..m * k).map(number).collect(), (0..k * n).map(number).collect());
        let element = |at: usize| (0..k).map(|depth| a[at / n * k + depth] * b[depth * n + at % n]).sum::<f32>();
        let wanted: Vec<f32> = (0..m * n).map(element).collect();
        let mut c = device.buffer::<f32>(m * n)?;
        Matmul::new([m, k, n]).run(&device.buffer_from(&a)?, &device.buffer_from(&b)?, &mut c)?;
        holds(&c, &wanted, &format!("{m} x {k} x {n}")).await?;
    }
    Ok(())
}

/// Products of `i8` and `u8`, with a zero of 128.
async fn products_of_bytes(device: &Device) -> TestResult {
    for [m, k, n] in [[1, 1, 1], [65, 33, 17], [3, 200, 129]] {
        let a: Vec<i8> = (0..m * k).map(|at| (at * 89 % 256) as u8 as i8).collect();
        let b: Vec<u8> = (0..k * n).map(|at| (at * 57 % 256) as u8).collect();
        let product =
            |row: usize, column: usize, at: usize| i32::from(a[row * k + at]) * (i32::from(b[at * n + column]) - 128);
        let wanted: Vec<i32> = (0..m * n).map(|at| (0..k).map(|depth| product(at / n, at % n, depth)).sum()).collect();
        let mut c = device.buffer::<i32>(m * n)?;
        let integers = IntegerMatmul::new([m, k, n]).zeros([0, 128]);
        integers.run(&device.buffer_from(&a)?, &device.buffer_from(&b)?, &mut c)?;
        holds(&c, &wanted, &format!("{m} x {k} x {n}")).await?;
    }
    Ok(())
}

async fn one_line(device: &Device) -> TestResult {
    let kernel = ElementwiseKernel::new("x: f32, raw a: f32", "y: f32", "y = a[0] * x + f32(i)")?;
    let x: Vec<f32> = (0..1009).map(|at| at as f32).collect();
    let mut y = device.buffer::<f32>(x.len())?;
    kernel.run(device, (&device.buffer_from(&x)?, &device.buffer_from(&[2.0f32])?), &mut y)?;
    holds(&y, &x.iter().map(|x| 3.0 * x).collect::<Vec<_>>(), "a x + i").await
}
