//! A fill with a pattern: the one-line kernel, the operator, and the device's own fill with one word.

use anywarp::ops::{ElementwiseKernel, FillPattern};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::{Ladder, close};
use crate::shared::Outcome;

const PATTERN: [f32; 5] = [1.0, -2.0, 3.5, 0.0, 1024.0];

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let mut x = device.buffer::<f32>(elements)?;
    let fill = FillPattern::new(&PATTERN);
    let (cost, operator) = (fill.cost(elements)?, format!("fill with a pattern, {elements} elements"));
    let wanted: Vec<f32> = (0..elements).map(|at| PATTERN[at % PATTERN.len()]).collect();
    let check = |x: &UnifiedBuffer<f32>| close(&x.read()?, &wanted, 0.0);

    let pattern = device.buffer_from(&PATTERN)?;
    let naive = ElementwiseKernel::new("raw pattern: f32", "x: f32", "x = pattern[i % arrayLength(&pattern)]")?;
    let record = |x: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(naive.call(&device).record(recording).run(&pattern, x)?)
    };
    ladder.rung((&operator, "naive"), cost, &mut x, record, check)?;
    x.fill(0.0)?;
    let record = |x: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(FillPattern::new(&PATTERN).record(recording).run(x)?)
    };
    ladder.rung((&operator, "FillPattern"), cost, &mut x, record, check)?;
    let record = |x: &mut UnifiedBuffer<f32>, recording: &mut Recording| Ok(recording.fill(x, 7.0)?);
    ladder.rung((&operator, "fill, one word"), cost, &mut x, record, |x| close(&x.read()?, &vec![7.0; elements], 0.0))
}
