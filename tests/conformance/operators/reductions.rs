//! Reductions of whole arrays, along axes, of segments and by key; histograms.

use anywarp::Device;
use anywarp::ops::{Histogram, bincount, reduce, shaped};

use super::{LENGTHS, floats, holds, unwritten, words};
use crate::suite::case::{Case, cases};
use anywarp_testing_devices::outcome::TestResult;

pub(crate) const CASES: &[Case] = cases![
    sums_and_extremes,
    rows_and_columns,
    places_of_extremes_with_nan,
    sums_of_segments,
    sums_by_key,
    histograms,
    counts_of_numbers,
];

async fn sums_and_extremes(device: &Device) -> TestResult {
    for length in LENGTHS.into_iter().filter(|length| *length > 0) {
        let x = floats(length);
        let on_device = device.buffer_from(&x)?;
        let wanted = [x.iter().sum(), x.iter().copied().fold(f32::INFINITY, f32::min)];
        let mut y = device.buffer::<f32>(2)?;
        reduce::sum().run(device, &on_device, y.slice_mut(..1))?;
        reduce::min::<f32>().run(device, &on_device, y.slice_mut(1..))?;
        holds(&y, &wanted, &format!("{length} elements")).await?;
    }
    Ok(())
}

async fn rows_and_columns(device: &Device) -> TestResult {
    let (rows, columns) = (61, 307);
    let x = words(rows * columns);
    let on_device = device.buffer_from(&x)?;
    let row = |row: usize| (0..columns).map(|column| x[row * columns + column]).sum::<u32>();
    let column = |column: usize| (0..rows).map(|row| x[row * columns + column]).sum::<u32>();
    let mut y = unwritten(device, rows)?;
    reduce::sum().call(device).axis(1).run(shaped(&on_device, [rows, columns]), &mut y)?;
    holds(&y, &(0..rows).map(row).collect::<Vec<_>>(), "rows").await?;
    let mut y = unwritten(device, columns)?;
    reduce::sum().call(device).axis(0).run(shaped(&on_device, [rows, columns]), &mut y)?;
    holds(&y, &(0..columns).map(column).collect::<Vec<_>>(), "columns").await
}

/// The index of the largest element is that of the first NaN or, without NaNs, that of the first of equal elements.
async fn places_of_extremes_with_nan(device: &Device) -> TestResult {
    let mut x = vec![-0.0f32; 5000];
    let mut y = device.buffer::<u32>(1)?;
    (x[77], x[4001]) = (3.0, 3.0);
    reduce::argmax().run(device, &device.buffer_from(&x)?, &mut y)?;
    holds(&y, &[77], "the first of equal elements").await?;
    (x[3000], x[4500]) = (f32::NAN, f32::NAN);
    reduce::argmax().run(device, &device.buffer_from(&x)?, &mut y)?;
    holds(&y, &[3000], "the first NaN").await
}

async fn sums_of_segments(device: &Device) -> TestResult {
    let x = words(9000);
    let offsets = [0u32, 0, 1, 300, 301, 5000, 9000];
    let mut y = unwritten(device, 6)?;
    let (on_device, bounds) = (device.buffer_from(&x)?, device.buffer_from(&offsets)?);
    reduce::sum().call(device).segments(&bounds).run(&on_device, &mut y)?;
    let sum = |pair: &[u32]| x[pair[0] as usize..pair[1] as usize].iter().sum::<u32>();
    holds(&y, &offsets.windows(2).map(sum).collect::<Vec<_>>(), "segments").await
}

async fn sums_by_key(device: &Device) -> TestResult {
    let x = words(9000);
    let keys: Vec<u32> = (0..9000).map(|at| at / 700 % 3).collect();
    let mut sums = Vec::<(u32, u32)>::new();
    for (key, x) in keys.iter().zip(&x) {
        match sums.last_mut().filter(|last| last.0 == *key) {
            Some(last) => last.1 += x,
            None => sums.push((*key, *x)),
        }
    }
    let (mut found, mut y) = (unwritten(device, 9000)?, unwritten(device, 9000)?);
    let (x, keys) = (device.buffer_from(&x)?, device.buffer_from(&keys)?);
    reduce::sum().call(device).run_by_key(&keys, &x, &mut found, &mut y)?;
    holds(&found, &sums.iter().map(|sum| sum.0).collect::<Vec<_>>(), "keys").await?;
    holds(&y, &sums.iter().map(|sum| sum.1).collect::<Vec<_>>(), "sums").await
}

async fn histograms(device: &Device) -> TestResult {
    for bins in [1usize, 64, 3000] {
        for length in LENGTHS {
            let x = floats(length);
            let mut wanted = vec![0u32; bins];
            for x in &x {
                wanted[((f64::from(*x) + 2048.0) / 4096.0 * bins as f64) as usize] += 1;
            }
            let mut y = unwritten(device, bins)?;
            Histogram::even(bins, -2048.0..2048.0).run(&device.buffer_from(&x)?, &mut y)?;
            holds(&y, &wanted, &format!("{length} elements in {bins} bins")).await?;
        }
    }
    Ok(())
}

async fn counts_of_numbers(device: &Device) -> TestResult {
    let x = words(20_011);
    let mut wanted = vec![0u32; 4096];
    x.iter().for_each(|x| wanted[*x as usize] += 1);
    let mut y = unwritten(device, 4096)?;
    bincount(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "counts").await
}
