//! Sums of segments and of runs of equal keys: segments of one length, segments of very different lengths, and one
//! invocation for each segment.

use anywarp::ops::{ElementwiseKernel, reduce};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

/// The arrays for one distribution of segment lengths.
struct Arrays {
    x: UnifiedBuffer<f32>,
    offsets: UnifiedBuffer<u32>,
    keys: UnifiedBuffer<u32>,
    unique: UnifiedBuffer<u32>,
    y: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    // The numbers are around 3, so that sums are far from 0.
    let x: Vec<f32> = numbers(elements, 1).into_iter().map(|x| x + 3.0).collect();
    for length in [4, 64, 4096] {
        let offsets: Vec<u32> = (0..=elements / length).map(|at| (at * length) as u32).collect();
        of(ladder, &x, &offsets, &format!("segments of {length}"))?;
    }
    // Half of the elements are in one segment, and the others in segments of 4.
    let short = elements / 8;
    let mut offsets: Vec<u32> = (0..=short).map(|at| (at * 4) as u32).collect();
    offsets.push(elements as u32);
    of(ladder, &x, &offsets, "segments of 4 and a long one")
}

fn of(ladder: &mut Ladder, x: &[f32], offsets: &[u32], what: &str) -> Outcome<()> {
    let device = ladder.device.clone();
    let parts = || offsets.windows(2).map(|pair| &x[pair[0] as usize..pair[1] as usize]);
    let wanted: Vec<f32> = parts().map(|part| part.iter().map(|x| f64::from(*x)).sum::<f64>() as f32).collect();
    let keys: Vec<u32> = parts().zip(0u32..).flat_map(|(part, key)| part.iter().map(move |_| key)).collect();
    let segments = wanted.len();
    let mut arrays = Arrays {
        x: device.buffer_from(&x[..keys.len()])?,
        offsets: device.buffer_from(offsets)?,
        keys: device.buffer_from(&keys)?,
        unique: device.buffer(segments)?,
        y: device.buffer(segments)?,
    };
    let operator = format!("sums of {what}, {} elements", keys.len());
    let mut cost = reduce::sum().call(&device).segments(&arrays.offsets).cost(&arrays.x, &mut arrays.y)?;
    let check = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-4);
    // One invocation adds sequentially, so rounding errors grow with the length.
    let roughly = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-2);
    let naive = ElementwiseKernel::new(
        "raw x: f32, raw offsets: u32",
        "y: f32",
        "var sum = 0.0; for (var k = offsets[i]; k < offsets[i + 1]; k++) { sum += x[k]; } y = sum",
    )?;
    let record = |Arrays { x, offsets, y, .. }: &mut Arrays, recording: &mut Recording| {
        Ok(naive.call(&device).record(recording).run((&*x, &*offsets), y)?)
    };
    // Software drivers stop long loops.
    if offsets.windows(2).all(|pair| pair[1] - pair[0] < 60_000) {
        ladder.rung((&operator, "naive"), cost, &mut arrays, record, roughly)?;
    }
    let record = |Arrays { x, offsets, y, .. }: &mut Arrays, recording: &mut Recording| {
        Ok(reduce::sum().call(&device).segments(&*offsets).record(recording).run(&*x, y)?)
    };
    ladder.rung((&operator, "segments"), cost, &mut arrays, record, check)?;
    arrays.y.fill(0.0)?;
    cost.bytes += 4 * keys.len() as u64;
    let record = |Arrays { x, keys, unique, y, .. }: &mut Arrays, recording: &mut Recording| {
        reduce::sum().call(&device).record(recording).run_by_key(&*keys, &*x, unique, y)?;
        Ok(())
    };
    ladder.rung((&operator, "run_by_key"), cost, &mut arrays, record, check)
}
