//! Operators that move elements: a transposition, gathers and sums at random indices, a conversion. The naive kernels
//! are one-line kernels.

use anywarp::ops::{Cast, ElementwiseKernel, Rearrange, Scatter, Take, shaped};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::Ladder;
use crate::shared::Outcome;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    transposed(ladder, elements)?;
    gathered(ladder, elements)?;
    summed(ladder, elements)?;
    converted(ladder, elements)
}

fn transposed(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let side = elements.isqrt();
    let values: Vec<f32> = (0..side * side).map(|at| at as f32).collect();
    let x = device.buffer_from(&values)?;
    let mut y = device.buffer::<f32>(side * side)?;
    let operator = format!("transpose {side} x {side} f32");
    let cost = Rearrange::<f32>::transpose([side, side]).cost()?;
    let check = |y: &UnifiedBuffer<f32>| {
        let y = y.read()?;
        let right = (0..side * side).all(|at| y[at] == values[at % side * side + at / side]);
        if right { Ok(()) } else { Err("other elements".into()) }
    };
    let naive = ElementwiseKernel::new("x: f32", "y: f32", "y = x")?;
    let record = |y: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        let view = shaped(&x, [side, side]).strides([1, side]);
        Ok(naive.call(&device).record(recording).run(view, shaped(y, [side, side]))?)
    };
    ladder.rung((&operator, "naive"), cost, &mut y, record, check)?;
    y.fill(0.0)?;
    let record = |y: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(Rearrange::transpose([side, side]).record(recording).run(&x, y)?)
    };
    ladder.rung((&operator, "Rearrange"), cost, &mut y, record, check)
}

/// Indices in an order without a pattern.
fn places(elements: usize) -> Vec<u32> {
    (0..elements as u32).map(|at| at.wrapping_mul(0x9e37_79b9).rotate_left(13) % elements as u32).collect()
}

fn gathered(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let places = places(elements);
    let (x, indices) = (device.buffer_from(&Vec::from_iter(0..elements as u32))?, device.buffer_from(&places)?);
    let mut y = device.buffer::<u32>(elements)?;
    let operator = format!("gather {elements} u32 at random");
    let cost = Take::<u32>::new([elements], 0).cost::<u32>(elements)?;
    let check =
        |y: &UnifiedBuffer<u32>| if y.read()?[..] == places[..] { Ok(()) } else { Err("other elements".into()) };
    let naive = ElementwiseKernel::new("raw x: u32, at: u32", "y: u32", "y = x[at]")?;
    let record = |y: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(naive.call(&device).record(recording).run((&x, &indices), y)?)
    };
    ladder.rung((&operator, "naive"), cost, &mut y, record, check)?;
    y.fill(0)?;
    let record = |y: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        Ok(Take::new([elements], 0).record(recording).run(&x, &indices, y)?)
    };
    ladder.rung((&operator, "Take"), cost, &mut y, record, check)
}

fn summed(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let places = places(elements);
    let indices = device.buffer_from(&places)?;
    let mut counts = vec![0u32; elements];
    places.iter().for_each(|at| counts[*at as usize] += 1);
    let operator = format!("add {elements} at random");
    let cost = Scatter::new([elements], 0).cost_of_add::<u32, u32>(elements)?;

    let ones = device.buffer_from(&vec![1u32; elements])?;
    let mut y = device.buffer::<u32>(elements)?;
    let check = |y: &UnifiedBuffer<u32>| if y.read()?[..] == counts[..] { Ok(()) } else { Err("other sums".into()) };
    let naive = ElementwiseKernel::new("x: u32, at: u32", "raw y: atomic<u32>", "atomicAdd(&y[at], x)")?;
    let record = |y: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        recording.fill(&mut *y, 0)?;
        Ok(naive.call(&device).record(recording).run((&ones, &indices), y)?)
    };
    ladder.rung((&operator, "naive u32"), cost, &mut y, record, check)?;
    let record = |y: &mut UnifiedBuffer<u32>, recording: &mut Recording| {
        recording.fill(&mut *y, 0)?;
        Ok(Scatter::new([elements], 0).record(recording).add(&ones, &indices, y)?)
    };
    ladder.rung((&operator, "Scatter u32"), cost, &mut y, record, check)?;

    let halves = device.buffer_from(&vec![0.5f32; elements])?;
    let mut y = device.buffer::<f32>(elements)?;
    let check = |y: &UnifiedBuffer<f32>| {
        let right = y.read()?.iter().zip(&counts).all(|(sum, count)| *sum == *count as f32 / 2.0);
        if right { Ok(()) } else { Err("other sums".into()) }
    };
    for (what, ordered) in [("Scatter f32", false), ("Scatter, ordered", true)] {
        let record = |y: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
            recording.fill(&mut *y, 0.0)?;
            let scatter = Scatter::new([elements], 0).record(recording);
            let scatter = if ordered { scatter.ordered() } else { scatter };
            Ok(scatter.add(&halves, &indices, y)?)
        };
        ladder.rung((&operator, what), cost, &mut y, record, check)?;
    }
    Ok(())
}

fn converted(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let values: Vec<f32> = (0..elements).map(|at| at as f32 * 0.75 - 1000.0).collect();
    let x = device.buffer_from(&values)?;
    let mut y = device.buffer::<i32>(elements)?;
    let operator = format!("cast {elements} f32 to i32");
    let cost = Cast::new().cost::<f32, i32>(elements)?;
    let check = |y: &UnifiedBuffer<i32>| {
        let right = y.read()?.iter().zip(&values).all(|(got, value)| *got == *value as i32);
        if right { Ok(()) } else { Err("other numbers".into()) }
    };
    let naive = ElementwiseKernel::new("x: f32", "y: i32", "y = i32(x)")?;
    let record =
        |y: &mut UnifiedBuffer<i32>, recording: &mut Recording| Ok(naive.call(&device).record(recording).run(&x, y)?);
    ladder.rung((&operator, "naive"), cost, &mut y, record, check)?;
    y.fill(0)?;
    let record =
        |y: &mut UnifiedBuffer<i32>, recording: &mut Recording| Ok(Cast::new().record(recording).run(&x, y)?);
    ladder.rung((&operator, "Cast"), cost, &mut y, record, check)
}
