//! Operators that read windows: a 3x3 filter of an image, a convolution, and pooling.

use anywarp::ops::{Border, Columns, Conv, ImageFilter, Matmul, Pool};
use anywarp::{Recording, UnifiedBuffer};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

anywarp::kernels!(mod naive = "benches/ladder/filter.wgsl");

/// The numbers of input and output channels of the convolution, as in ResNet-50's first stage.
const CHANNELS: usize = 64;

struct Arrays {
    x: UnifiedBuffer<f32>,
    weights: UnifiedBuffer<f32>,
    between: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let side = elements.isqrt();
    filter(ladder, side)?;
    pool(ladder, side)?;
    conv(ladder, (side / 40).max(8))
}

fn filter(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let x = numbers(side * side, 1);
    let weights: Vec<f32> = (1..=9).map(|weight| weight as f32).collect();
    let element = |row: isize, column: isize| {
        let inside = |place: isize| place.clamp(0, side as isize - 1) as usize;
        x[inside(row) * side + inside(column)]
    };
    let result = |at: usize| -> f32 {
        let (row, column) = ((at / side) as isize, (at % side) as isize);
        (0..9).map(|tap| weights[tap] * element(row + tap as isize / 3 - 1, column + tap as isize % 3 - 1)).sum()
    };
    let wanted: Vec<f32> = (0..side * side).map(result).collect();
    let plain = || ImageFilter::correlate([side, side], &weights, [3, 3]).border(Border::Nearest);
    let (cost, operator) = (plain().cost()?, format!("3x3 filter {side} x {side} f32"));
    let mut arrays = (device.buffer_from(&x)?, device.buffer::<f32>(side * side)?);
    let check = |arrays: &(UnifiedBuffer<f32>, UnifiedBuffer<f32>)| close(&arrays.1.read()?, &wanted, 1e-4);
    let record = |(x, y): &mut (UnifiedBuffer<f32>, UnifiedBuffer<f32>), recording: &mut Recording| {
        let args = naive::Args { sizes: naive::Sizes { side: side as u32 }, x: &*x, y };
        naive::filter_3x3(&device)?.launch(args).record(recording).threads([side as u64, side as u64])?;
        Ok(())
    };
    ladder.rung((&operator, "naive"), cost, &mut arrays, record, check)?;
    arrays.1.fill(0.0)?;
    let record = |(x, y): &mut (UnifiedBuffer<f32>, UnifiedBuffer<f32>), recording: &mut Recording| {
        Ok(plain().record(recording).run(&*x, y)?)
    };
    ladder.rung((&operator, "ImageFilter"), cost, &mut arrays, record, check)
}

fn pool(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let (device, side) = (ladder.device.clone(), side / 2 * 2);
    let x = numbers(side * side, 2);
    let half = side / 2;
    let greatest = |at: usize| {
        let first = at / half * 2 * side + at % half * 2;
        x[first].max(x[first + 1]).max(x[first + side]).max(x[first + side + 1])
    };
    let wanted: Vec<f32> = (0..half * half).map(greatest).collect();
    let plain = || Pool::<f32>::max([1, 1, side, side], &[2, 2]).stride(&[2, 2]);
    let (cost, operator) = (plain().cost(&device)?, format!("2x2 max pool {side} x {side} f32"));
    let mut arrays = (device.buffer_from(&x)?, device.buffer::<f32>(half * half)?);
    let record = |(x, y): &mut (UnifiedBuffer<f32>, UnifiedBuffer<f32>), recording: &mut Recording| {
        Ok(plain().record(recording).run(&*x, y)?)
    };
    ladder.rung((&operator, "Pool"), cost, &mut arrays, record, |arrays| close(&arrays.1.read()?, &wanted, 0.0))
}

fn conv(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let (image, kernel) = ([1, CHANNELS, side, side], [CHANNELS, CHANNELS, 3, 3]);
    let (depth, positions) = (CHANNELS * 9, side * side);
    let (x, weights) = (numbers(CHANNELS * positions, 3), numbers(CHANNELS * depth, 4));
    let plain = || Conv::<f32>::new(image, kernel).padding(&[[1, 1], [1, 1]]);
    let (cost, operator) = (plain().cost(&device)?, format!("conv 3x3 64 -> 64, {side} x {side} f32"));
    let sum = |at: usize| -> f32 {
        let (channel, row, column) = (at / positions, at % positions / side, at % side);
        let product = |k: usize| {
            let (input, down, along) = (k / 9, row + k % 9 / 3, column + k % 3);
            let inside = (1..=side).contains(&down) && (1..=side).contains(&along);
            let element = if inside { x[input * positions + (down - 1) * side + along - 1] } else { 0.0 };
            f64::from(element) * f64::from(weights[channel * depth + k])
        };
        (0..depth).map(product).sum::<f64>() as f32
    };
    let samples: Vec<usize> = (0..997).map(|at| at * 7919 % (CHANNELS * positions)).collect();
    let wanted: Vec<f32> = samples.iter().map(|at| sum(*at)).collect();
    let mut arrays = Arrays {
        x: device.buffer_from(&x)?,
        weights: device.buffer_from(&weights)?,
        between: device.buffer(depth * positions)?,
        y: device.buffer(CHANNELS * positions)?,
    };
    let check = |arrays: &Arrays| {
        let y = arrays.y.read()?;
        close(&samples.iter().map(|at| y[*at]).collect::<Vec<_>>(), &wanted, 2e-3)
    };
    let record = |Arrays { x, weights, between, y }: &mut Arrays, recording: &mut Recording| {
        let columns = Columns::new(image, &[3, 3]).padding(&[[1, 1], [1, 1]]);
        columns.record(recording).run(&*x, &mut *between)?;
        Ok(Matmul::new([CHANNELS, depth, positions]).record(recording).run(&*weights, &*between, y)?)
    };
    ladder.rung((&operator, "columns and Matmul"), cost, &mut arrays, record, check)?;
    arrays.y.fill(0.0)?;
    let record = |Arrays { x, weights, y, .. }: &mut Arrays, recording: &mut Recording| {
        Ok(plain().record(recording).run(&*x, &*weights, y)?)
    };
    ladder.rung((&operator, "Conv"), cost, &mut arrays, record, check)
}
