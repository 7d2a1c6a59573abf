//! Attention with eight heads of 64 elements: all positions have each other as keys, or one query has many keys.

use anywarp::ops::Attention;
use anywarp::{Recording, UnifiedBuffer};
use rayon::prelude::*;

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

anywarp::kernels!(mod naive = "benches/ladder/attention.wgsl");

const HEADS: usize = 8;
const SIZE: usize = 64;

struct Arrays {
    q: UnifiedBuffer<f32>,
    k: UnifiedBuffer<f32>,
    v: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let side = elements.isqrt() / 2;
    attend(ladder, side, side)?;
    attend(ladder, 1, 16 * side)
}

fn attend(ladder: &mut Ladder, queries: usize, keys: usize) -> Outcome<()> {
    let (device, operator) = (ladder.device.clone(), format!("attention {HEADS} x {queries} x {keys} x {SIZE} f32"));
    let (q, k) = (numbers(HEADS * queries * SIZE, 1), numbers(HEADS * keys * SIZE, 2));
    let v = numbers(HEADS * keys * SIZE, 3);
    let plain = || Attention::<f32>::new([1, HEADS, queries, SIZE], [1, HEADS, keys, SIZE]);
    let cost = plain().cost(&device)?;
    let mut wanted = vec![0.0; q.len()];
    all_rows([&q, &k, &v], &mut wanted, keys);
    let y = device.buffer::<f32>(q.len())?;
    let mut arrays = Arrays { q: device.buffer_from(&q)?, k: device.buffer_from(&k)?, v: device.buffer_from(&v)?, y };
    let check = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-3);
    let record = |Arrays { q, k, v, y }: &mut Arrays, recording: &mut Recording| {
        let args = naive::Args {
            sizes: naive::Sizes { queries: queries as u32, keys: keys as u32 },
            q: &*q,
            k: &*k,
            v: &*v,
            y,
        };
        naive::attention(&device)?.launch(args).record(recording).threads([queries as u64, HEADS as u64])?;
        Ok(())
    };
    ladder.rung((&operator, "naive: an invocation a query"), cost, &mut arrays, record, check)?;
    arrays.y.fill(0.0)?;
    let record = |Arrays { q, k, v, y }: &mut Arrays, recording: &mut Recording| {
        Ok(plain().record(recording).run(&*q, &*k, &*v, y)?)
    };
    ladder.rung((&operator, "Attention"), cost, &mut arrays, record, check)?;
    if !is_host(&device) {
        return Ok(());
    }
    ladder.host_rung((&operator, "rayon"), cost, || {
        all_rows([&q, &k, &v], &mut wanted, keys);
        std::hint::black_box(&mut wanted);
        Ok(())
    })
}

/// Computes the results of all queries, in parallel on the host.
fn all_rows([q, k, v]: [&[f32]; 3], y: &mut [f32], keys: usize) {
    let queries = q.len() / SIZE / HEADS;
    y.par_chunks_mut(SIZE).zip(q.par_chunks(SIZE)).enumerate().for_each(|(row, (y, q))| {
        let range = row / queries * keys * SIZE..(row / queries + 1) * keys * SIZE;
        row_of(q, &k[range.clone()], &v[range], y);
    });
}

fn row_of(q: &[f32], k: &[f32], v: &[f32], y: &mut [f32]) {
    let product = |k: &[f32]| {
        // Several sums at a time, so that the compiler can use vectors.
        let mut sums = [0.0; 16];
        for (q, k) in q.chunks(16).zip(k.chunks(16)) {
            sums.iter_mut().zip(q.iter().zip(k)).for_each(|(sum, (q, k))| *sum += q * k);
        }
        sums.iter().sum::<f32>() / (SIZE as f32).sqrt()
    };
    let mut weights: Vec<f32> = k.chunks(SIZE).map(product).collect();
    let greatest = weights.iter().fold(f32::MIN, |a, b| a.max(*b));
    weights.iter_mut().for_each(|weight| *weight = (*weight - greatest).exp());
    let factor = 1.0 / weights.iter().sum::<f32>();
    y.fill(0.0);
    for (v, weight) in v.chunks(SIZE).zip(weights) {
        y.iter_mut().zip(v).for_each(|(y, v)| *y += weight * factor * v);
    }
}
