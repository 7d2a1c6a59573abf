//! Random numbers: each distribution, and a fill with one word, which shows the limit of writing.

use anywarp::ops::{OperationError, Random};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::Ladder;
use crate::shared::Outcome;

/// Appends the numbers of one distribution to a recording.
type Draw = fn(Random<'_>, &mut UnifiedBuffer<f32>) -> Result<(), OperationError>;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let cost = Random::new(1).cost::<f32>(elements)?;
    let operator = format!("random numbers, {elements} of f32");
    let mut x = device.buffer::<f32>(elements)?;
    let record = |x: &mut UnifiedBuffer<f32>, recording: &mut Recording| Ok(recording.fill(x, 7.0)?);
    ladder.rung((&operator, "fill, one word"), cost, &mut x, record, |x| within(x, 7.0, 0.0))?;
    let draws: [(&'static str, Draw, f64, f64); 4] = [
        ("uniform", |random, x| random.uniform(x), 0.5, 1.0 / 12.0),
        ("normal", |random, x| random.normal(x), 0.0, 1.0),
        ("exponential", |random, x| random.exponential(x), 1.0, 1.0),
        ("dropout", |random, x| random.dropout(0.5, x), 1.0, 1.0),
    ];
    for (what, draw, mean, variance) in draws {
        let record =
            |x: &mut UnifiedBuffer<f32>, recording: &mut Recording| Ok(draw(Random::new(1).record(recording), x)?);
        ladder.rung((&operator, what), cost, &mut x, record, |x| within(x, mean, variance))?;
    }
    let (operator, cost) = (format!("random numbers, {elements} of f16"), Random::new(1).cost::<half::f16>(elements)?);
    let mut x = device.buffer::<half::f16>(elements)?;
    let record =
        |x: &mut UnifiedBuffer<half::f16>, recording: &mut Recording| Ok(Random::new(1).record(recording).normal(x)?);
    ladder.rung((&operator, "normal"), cost, &mut x, record, |x| {
        let sum: f64 = x.read()?.iter().map(|x| x.to_f64()).sum();
        let mean = sum / x.len() as f64;
        if mean.abs() < 6.0 / (x.len() as f64).sqrt() { Ok(()) } else { Err(format!("mean {mean}").into()) }
    })?;
    let (operator, cost) = (format!("permutation of {elements}"), Random::new(1).cost::<u32>(elements)?);
    let mut order = device.buffer::<u32>(elements)?;
    let record = |order: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(Random::new(1).record(recording).permutation(order)?)
    };
    ladder.rung((&operator, "permutation"), cost, &mut order, record, |order| {
        let mut seen = vec![false; order.len()];
        let fresh = |number: &u32| !std::mem::replace(&mut seen[*number as usize], true);
        if order.read()?.iter().all(fresh) { Ok(()) } else { Err("a number occurs twice".into()) }
    })
}

/// Checks that mean and variance of the numbers are within six standard errors of the expected ones.
fn within(x: &UnifiedBuffer<f32>, mean: f64, variance: f64) -> Outcome<()> {
    let (x, count) = (x.read()?, x.len() as f64);
    let got = x.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let spread = x.iter().map(|x| (f64::from(*x) - got).powi(2)).sum::<f64>() / count;
    let error = 6.0 * (variance / count).sqrt();
    // The variance of the squares is at most eight times the squared variance, as for the exponential distribution.
    if (got - mean).abs() <= error && (spread - variance).abs() <= error * (8.0 * variance).sqrt() {
        return Ok(());
    }
    Err(format!("mean {got} and variance {spread}, expected {mean} and {variance}").into())
}
