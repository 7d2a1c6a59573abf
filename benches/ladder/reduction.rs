//! A sum: one workgroup for all elements, two passes, and the host.

use anywarp::ops::ReductionKernel;
use anywarp::{Recording, UnifiedBuffer, Wgsl};
use rayon::prelude::*;

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

struct Arrays {
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    // The numbers are around 3, so that the sum is far from 0 and rounding errors are visible.
    let x: Vec<f32> = numbers(elements, 1).into_iter().map(|x| x + 3.0).collect();
    let wanted = [x.iter().copied().map(f64::from).sum::<f64>() as f32];
    let device = ladder.device.clone();
    let mut arrays = Arrays { x: device.buffer_from(&x)?, y: device.buffer(1)? };
    let operator = format!("sum, {elements} elements");
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    let cost = sum.call(&device).cost(&arrays.x, &mut arrays.y)?;
    let check = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-4);
    // Each invocation adds sequentially, so rounding errors grow with the length.
    let roughly = |arrays: &Arrays| close(&arrays.y.read()?, &wanted, 1e-2);

    let kernel = device.kernel(Wgsl::new(include_str!("sum.wgsl")).file("sum.wgsl"))?;
    let naive = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        kernel.launch().bind("x", &*x).bind("y", y).record(recording).groups(1)?;
        Ok(())
    };
    ladder.rung((&operator, "naive"), cost, &mut arrays, naive, roughly)?;
    arrays.y.fill(0.0)?;
    let ours = |Arrays { x, y }: &mut Arrays, recording: &mut Recording| {
        Ok(sum.call(&device).record(recording).run(&*x, y)?)
    };
    ladder.rung((&operator, "ReductionKernel"), cost, &mut arrays, ours, check)?;
    if is_host(&device) {
        let summed = |x: &[f32]| {
            let lanes = x.chunks_exact(16).fold([0.0f32; 16], |mut lanes, chunk| {
                lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x);
                lanes
            });
            lanes.iter().sum::<f32>()
        };
        ladder.host_rung((&operator, "one thread of Rust"), cost, || {
            std::hint::black_box(summed(&x));
            Ok(())
        })?;
        let part = elements.div_ceil(rayon::current_num_threads()).max(1);
        ladder.host_rung((&operator, "rayon"), cost, || {
            std::hint::black_box(x.par_chunks(part).map(summed).sum::<f32>());
            Ok(())
        })?;
    }
    Ok(())
}
