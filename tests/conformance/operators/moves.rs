//! Operators that move elements, or compute elements from indices.

use anywarp::Device;
use anywarp::ops::{Cast, FillPattern, Join, OneHot, Pad, Rearrange, Scatter, Sequence, Take};

use super::{LENGTHS, floats, holds, unwritten, words};
use crate::suite::case::{Case, cases};
use anywarp_testing_devices::outcome::TestResult;

pub(crate) const CASES: &[Case] = cases![
    patterns,
    transposed_matrices,
    permuted_bytes,
    padded_edges,
    joined_parts,
    taken_elements_and_the_fill_outside,
    scattered_elements,
    sums_at_places,
    casts_of_floats,
    casts_to_bytes,
    sequences,
    one_hot_rows,
];

async fn patterns(device: &Device) -> TestResult {
    for length in LENGTHS {
        let mut y = unwritten(device, length)?;
        FillPattern::new(&[7u32, 8, 9]).run(&mut y)?;
        let wanted: Vec<u32> = (0..length as u32).map(|at| at % 3 + 7).collect();
        holds(&y, &wanted, &format!("{length} elements")).await?;
    }
    Ok(())
}

async fn transposed_matrices(device: &Device) -> TestResult {
    for [rows, columns] in [[1, 300], [64, 64], [65, 31], [129, 257]] {
        let x = words(rows * columns);
        let wanted: Vec<u32> = (0..x.len()).map(|at| x[at % rows * columns + at / rows]).collect();
        let mut y = unwritten(device, x.len())?;
        Rearrange::transpose([rows, columns]).run(&device.buffer_from(&x)?, &mut y)?;
        holds(&y, &wanted, &format!("{rows} x {columns}")).await?;
    }
    Ok(())
}

async fn permuted_bytes(device: &Device) -> TestResult {
    let [a, b, c] = [7, 33, 5];
    let x: Vec<u8> = words(a * b * c).iter().map(|word| *word as u8).collect();
    let wanted: Vec<u8> = (0..x.len())
        .map(|at| {
            let (k, i, j) = (at / (a * b), at / b % a, at % b);
            x[(i * b + j) * c + k]
        })
        .collect();
    let mut y = device.buffer::<u8>(x.len())?;
    Rearrange::permute([a, b, c], &[2, 0, 1]).run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "bytes").await
}

async fn padded_edges(device: &Device) -> TestResult {
    let x = floats(300);
    let wanted: Vec<f32> = (0..310).map(|at: usize| x[at.saturating_sub(4).min(299)]).collect();
    let mut y = device.buffer::<f32>(310)?;
    Rearrange::pad([300], &[[4, 6]], Pad::Edge).run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &wanted, "edges").await
}

async fn joined_parts(device: &Device) -> TestResult {
    let (a, b) = (words(3 * 100), words(3 * 7));
    let wanted: Vec<u32> = (0..3).flat_map(|row| [&a[row * 100..][..100], &b[row * 7..][..7]].concat()).collect();
    let mut y = unwritten(device, wanted.len())?;
    let (a, b) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    Join::concatenate([3, 107], 1).run(&[a.slice(..), b.slice(..)], &mut y)?;
    holds(&y, &wanted, "rows of both").await
}

async fn taken_elements_and_the_fill_outside(device: &Device) -> TestResult {
    let x = words(1000);
    let places: Vec<u32> = words(3000).iter().map(|word| word % 1100).collect();
    let wanted: Vec<u32> = places.iter().map(|at| x.get(*at as usize).copied().unwrap_or(u32::MAX)).collect();
    let mut y = unwritten(device, places.len())?;
    Take::new([1000], 0).run(&device.buffer_from(&x)?, &device.buffer_from(&places)?, &mut y)?;
    holds(&y, &wanted, "elements").await
}

/// If several elements are written to the same index, the last one is stored.
async fn scattered_elements(device: &Device) -> TestResult {
    let x = words(3000);
    let places: Vec<u32> = words(3000).iter().map(|word| word % 500).collect();
    let mut wanted = vec![0xdead_beef; 500];
    x.iter().zip(&places).for_each(|(x, at)| wanted[*at as usize] = *x);
    let mut y = unwritten(device, 500)?;
    Scatter::new([500], 0).set(&device.buffer_from(&x)?, &device.buffer_from(&places)?, &mut y)?;
    holds(&y, &wanted, "elements").await
}

async fn sums_at_places(device: &Device) -> TestResult {
    let x = floats(3000);
    let places: Vec<u32> = words(3000).iter().map(|word| word % 500).collect();
    let mut wanted = vec![1.0f32; 500];
    x.iter().zip(&places).for_each(|(x, at)| wanted[*at as usize] += x);
    let (x, places) = (device.buffer_from(&x)?, device.buffer_from(&places)?);
    let mut y = device.buffer_from(&[1.0f32; 500])?;
    Scatter::new([500], 0).add(&x, &places, &mut y)?;
    holds(&y, &wanted, "sums").await?;
    let mut y = device.buffer_from(&[1.0f32; 500])?;
    Scatter::new([500], 0).ordered().add(&x, &places, &mut y)?;
    holds(&y, &wanted, "sums in one order").await
}

async fn casts_of_floats(device: &Device) -> TestResult {
    let mut x = floats(3000);
    x[..6].copy_from_slice(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -0.7, 3e9]);
    let mut y = device.buffer::<i32>(x.len())?;
    Cast::new().run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &x.iter().map(|x| *x as i32).collect::<Vec<_>>(), "i32").await
}

async fn casts_to_bytes(device: &Device) -> TestResult {
    let x = floats(3001);
    let mut y = device.buffer::<u8>(x.len())?;
    Cast::new().run(&device.buffer_from(&x)?, &mut y)?;
    holds(&y, &x.iter().map(|x| *x as u8).collect::<Vec<_>>(), "u8").await
}

async fn sequences(device: &Device) -> TestResult {
    for length in LENGTHS {
        let mut y = unwritten(device, length)?;
        Sequence::arange(5u32, 3).run(&mut y)?;
        let wanted: Vec<u32> = (0..length as u32).map(|at| 5 + 3 * at).collect();
        holds(&y, &wanted, &format!("{length} numbers")).await?;
    }
    Ok(())
}

async fn one_hot_rows(device: &Device) -> TestResult {
    let classes: Vec<u32> = words(500).iter().map(|word| word % 12).collect();
    let wanted: Vec<u32> =
        classes.iter().flat_map(|class| (0..10).map(move |at| 3 + 4 * u32::from(at == *class))).collect();
    let mut y = unwritten(device, 5000)?;
    OneHot::new(10, [3, 7]).run(&device.buffer_from(&classes)?, &mut y)?;
    holds(&y, &wanted, "rows").await
}
