//! A histogram of 256 bins: atomic additions to the result, the operator, and a loop on the host.

use anywarp::ops::{ElementwiseKernel, Histogram, Random};
use anywarp::{Recording, UnifiedBuffer};
use rayon::prelude::*;

use crate::rungs::{Ladder, is_host};
use crate::shared::Outcome;

const BINS: usize = 256;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let mut x = device.buffer::<f32>(elements)?;
    Random::new(3).uniform(&mut x)?;
    let values = x.read()?.to_vec();
    let of = |value: f32| ((value * BINS as f32) as usize).min(BINS - 1);
    let mut wanted = vec![0u32; BINS];
    values.iter().for_each(|value| wanted[of(*value)] += 1);
    let cost = Histogram::even(BINS, 0.0..1.0).cost(elements)?;
    let operator = format!("histogram of {elements}, {BINS} bins");
    let check = |counts: &UnifiedBuffer<u32>| same(&counts.read()?, &wanted);

    let mut counts = device.buffer::<u32>(BINS)?;
    let naive = ElementwiseKernel::new("x: f32", "raw counts: atomic<u32>", "atomicAdd(&counts[u32(x * 256.0)], 1u)")?;
    let record = |counts: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        recording.fill(&mut *counts, 0)?;
        Ok(naive.call(&device).record(recording).run(&x, counts)?)
    };
    ladder.rung((&operator, "naive"), cost, &mut counts, record, check)?;
    let record = |counts: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(Histogram::even(BINS, 0.0..1.0).record(recording).run(&x, counts)?)
    };
    ladder.rung((&operator, "Histogram"), cost, &mut counts, record, check)?;

    let same_value = device.buffer_from(&vec![0.3f32; elements])?;
    let mut all_in_one = vec![0u32; BINS];
    all_in_one[of(0.3)] = elements as u32;
    let record = |counts: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(Histogram::even(BINS, 0.0..1.0).record(recording).run(&same_value, counts)?)
    };
    let check = |counts: &UnifiedBuffer<u32>| same(&counts.read()?, &all_in_one);
    ladder.rung((&operator, "Histogram, one value"), cost, &mut counts, record, check)?;

    weighted(ladder, &x, elements)?;
    let mut counts = vec![0u32; BINS];
    let count = || {
        counts.fill(0);
        values.iter().for_each(|value| counts[of(*value)] += 1);
        std::hint::black_box(&counts);
        Ok(())
    };
    ladder.host_rung((&operator, "one thread of Rust"), cost, count)?;
    if is_host(&ladder.device) {
        let part = elements.div_ceil(rayon::current_num_threads()).max(1);
        ladder.host_rung((&operator, "rayon"), cost, || {
            // Four copies of each counter, so that equal neighbours do not wait for each other.
            let counted = |values: &[f32]| {
                let mut counts = vec![[0u32; BINS]; 4];
                values.iter().enumerate().for_each(|(at, value)| counts[at % 4][of(*value)] += 1);
                counts
            };
            std::hint::black_box(values.par_chunks(part).map(counted).collect::<Vec<_>>());
            Ok(())
        })?;
    }
    Ok(())
}

/// Measures sums of weights, and counts of three channels.
fn weighted(ladder: &mut Ladder, x: &UnifiedBuffer<f32>, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let values = x.read()?.to_vec();
    let of = |value: f32| ((value * BINS as f32) as usize).min(BINS - 1);
    let weights: Vec<f32> = (0..elements).map(|at| (at % 7) as f32).collect();
    let mut wanted = vec![0f64; BINS];
    values.iter().zip(&weights).for_each(|(value, weight)| wanted[of(*value)] += f64::from(*weight));
    let wanted: Vec<f32> = wanted.into_iter().map(|sum| sum as f32).collect();
    let weights = device.buffer_from(&weights)?;
    let mut cost = Histogram::even(BINS, 0.0..1.0).cost(elements)?;
    cost.bytes += 4 * elements as u64;
    let operator = format!("weighted histogram of {elements}, {BINS} bins");
    let mut sums = device.buffer::<f32>(BINS)?;
    let record = |sums: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(Histogram::even(BINS, 0.0..1.0).record(recording).run_weighted(x, &weights, sums)?)
    };
    let check = |sums: &UnifiedBuffer<f32>| {
        if *sums.read()? == wanted[..] { Ok(()) } else { Err("sums of f32 weights differ".into()) }
    };
    ladder.rung((&operator, "f32"), cost, &mut sums, record, check)?;

    let pixels = elements / 3 * 3;
    let mut wanted = vec![0u32; 3 * BINS];
    values[..pixels].iter().enumerate().for_each(|(at, value)| wanted[at % 3 * BINS + of(*value)] += 1);
    let cost = Histogram::even(BINS, 0.0..1.0).channels(3).cost(pixels)?;
    let operator = format!("histogram of {pixels}, 3 channels of {BINS} bins");
    let mut counts = device.buffer::<u32>(3 * BINS)?;
    let record = |counts: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        let histogram = Histogram::even(BINS, 0.0..1.0).channels(3).record(recording);
        Ok(histogram.run(x.slice(..pixels), counts)?)
    };
    ladder.rung((&operator, "channels"), cost, &mut counts, record, |counts| same(&counts.read()?, &wanted))
}

fn same(got: &[u32], wanted: &[u32]) -> Outcome<()> {
    if got == wanted { Ok(()) } else { Err(format!("{:?}.. in place of {:?}..", &got[..4], &wanted[..4]).into()) }
}
