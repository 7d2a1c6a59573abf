//! Attention and rotary embeddings of inputs whose results are known.

use anywarp::Device;
use anywarp::ops::{Attention, RotaryEmbedding};
use half::f16;

use super::LENGTHS;
use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, ensure};

pub(crate) const CASES: &[Case] = cases![
    attention_to_even_keys,
    attention_to_earlier_keys,
    attention_of_halves,
    derivatives_of_attention,
    rotations_by_quarters
];

/// Numbers of queries: one, a few, and enough for tiles.
const QUERIES: [usize; 3] = [1, 5, 70];

fn near(got: &[f32], wanted: impl Fn(usize) -> f32, what: &str) -> TestResult {
    let wrong = |(at, y): &(usize, &f32)| (**y - wanted(*at)).abs() > 1e-3 * wanted(*at).abs().max(1.0);
    match got.iter().enumerate().find(wrong) {
        Some((at, y)) => ensure(false, || format!("{what}, element {at}: {y}, expected {}", wanted(at))),
        None => Ok(()),
    }
}

/// If all keys have the same score, each result is the mean of the values.
async fn attention_to_even_keys(device: &Device) -> TestResult {
    for keys in LENGTHS {
        for queries in QUERIES {
            let (q, k) = (device.buffer_from(&vec![2.0f32; 2 * queries * 3])?, vec![1.0f32; keys * 3]);
            let values: Vec<f32> = (0..keys * 5).map(|at| if at / 5 % 2 == 0 { 4.0 } else { -2.0 }).collect();
            let (k, v) = (device.buffer_from(&k)?, device.buffer_from(&values)?);
            let mut y = device.buffer_from(&vec![9.0f32; 2 * queries * 5])?;
            Attention::new([1, 2, queries, 3], [1, 1, keys, 3]).value_size(5).run(&q, &k, &v, &mut y)?;
            let mean = values.iter().sum::<f32>() / values.len().max(1) as f32;
            near(&y.read_here().await?, |_| mean, &format!("{queries} queries, {keys} keys"))?;
        }
    }
    Ok(())
}

/// All keys have the same score and value: values have the mean of `dy` as derivatives, queries and keys have none.
async fn derivatives_of_attention(device: &Device) -> TestResult {
    for keys in [1, 7, 100] {
        for queries in QUERIES {
            let ones = |count: usize| device.buffer_from(&vec![1.0f32; count]);
            let (q, k, v, dy) = (ones(2 * queries * 3)?, ones(keys * 3)?, ones(keys * 5)?, ones(2 * queries * 5)?);
            let (mut dq, mut dk, mut dv) = (ones(2 * queries * 3)?, ones(keys * 3)?, ones(keys * 5)?);
            let attention = Attention::new([1, 2, queries, 3], [1, 1, keys, 3]).value_size(5);
            attention.backward(&q, &k, &v, &dy, [&mut dq, &mut dk, &mut dv])?;
            let what = format!("{queries} queries, {keys} keys");
            near(&dq.read_here().await?, |_| 0.0, &format!("{what}, dq"))?;
            near(&dk.read_here().await?, |_| 0.0, &format!("{what}, dk"))?;
            near(&dv.read_here().await?, |_| (2 * queries) as f32 / keys as f32, &format!("{what}, dv"))?;
        }
    }
    Ok(())
}

/// Each query uses only the keys that the mask keeps, up to the key one after the query's own position.
async fn attention_to_earlier_keys(device: &Device) -> TestResult {
    for (queries, keys) in [(70, 100), (100, 70), (5, 300), (300, 300)] {
        let (q, k) = (device.buffer_from(&vec![0.0f32; queries])?, device.buffer_from(&vec![1.0f32; keys])?);
        let v: Vec<f32> = (0..keys).map(|key| key as f32).collect();
        // The mask excludes keys 0 and 1.
        let mask: Vec<u32> = (0..keys).map(|key| u32::from(key > 1)).collect();
        let (v, mask) = (device.buffer_from(&v)?, device.buffer_from(&mask)?);
        let mut y = device.buffer_from(&vec![9.0f32; queries])?;
        let attention = Attention::new([1, 1, queries, 1], [1, 1, keys, 1]).causal(1);
        attention.mask(&mask, [keys]).run(&q, &k, &v, &mut y)?;
        // The expected result is the mean of the numbers from 2 to the query's last key.
        let wanted = |query: usize| match (query + 1).min(keys - 1) {
            last @ 2.. => (last + 2) as f32 / 2.0,
            _ => 0.0,
        };
        near(&y.read_here().await?, wanted, &format!("{queries} queries, {keys} keys"))?;
    }
    Ok(())
}

async fn attention_of_halves(device: &Device) -> TestResult {
    for queries in QUERIES {
        let (q, k) = (device.buffer_from(&vec![f16::ZERO; queries * 64])?, device.buffer_from(&[f16::ONE; 300 * 64])?);
        let v: Vec<f16> = (0..300 * 65).map(|at| f16::from_f32(if at / 65 % 3 == 0 { 3.0 } else { 0.0 })).collect();
        let (v, mut y) = (device.buffer_from(&v)?, device.buffer::<f16>(queries * 65)?);
        Attention::new([1, 1, queries, 64], [1, 1, 300, 64]).value_size(65).run(&q, &k, &v, &mut y)?;
        let y: Vec<f32> = y.read_here().await?.iter().map(|y| y.to_f32()).collect();
        near(&y, |_| 1.0, &format!("{queries} queries"))?;
    }
    Ok(())
}

async fn rotations_by_quarters(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..3 * 8).map(|at| at as f32).collect();
    let (cosines, sines) = (device.buffer_from(&[0.0f32; 12])?, device.buffer_from(&[1.0f32; 12])?);
    let (x, mut y) = (device.buffer_from(&x)?, device.buffer::<f32>(24)?);
    RotaryEmbedding::new([1, 1, 3, 8]).run(&x, &cosines, &sines, &mut y)?;
    let wanted = |at: usize| if at % 8 < 4 { -(at as f32 + 4.0) } else { at as f32 - 4.0 };
    near(&y.read_here().await?, wanted, "halves")?;
    RotaryEmbedding::new([1, 1, 3, 8]).interleaved().run(&x, &cosines, &sines, &mut y)?;
    let wanted = |at: usize| if at.is_multiple_of(2) { -(at as f32 + 1.0) } else { at as f32 - 1.0 };
    near(&y.read_here().await?, wanted, "neighbours")
}
