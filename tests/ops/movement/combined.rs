//! Scatters that combine elements of every type.

use std::fmt::Debug;

use anywarp::Device;
use anywarp::backend::Capabilities;
use anywarp::ops::{OperationError, Scatter, ScatterElement, take};
use half::{bf16, f16};

use crate::Case;
use crate::outcome::{TestResult, ensure, fail, same, skip};

use super::indices::scatter_reference;

pub(super) fn cases() -> Vec<Case> {
    vec![
        ("scatter::integers".to_owned(), integers),
        ("scatter::small_floats".to_owned(), small_floats),
        ("scatter::f64".to_owned(), doubles),
        ("scatter::carries".to_owned(), carries),
        ("scatter::extremes".to_owned(), extremes),
        ("scatter::rounding".to_owned(), rounding),
        ("scatter::ordered_f64".to_owned(), ordered_doubles),
        ("scatter::rows_of_an_embedding".to_owned(), embedding),
    ]
}

/// The name of an operation, and the same operation in plain Rust.
type Operation<T> = (&'static str, fn(T, T) -> T);

fn run<T: ScatterElement>(
    scatter: Scatter<'_>,
    operation: &str,
    x: anywarp::Slice<'_, T>,
    indices: anywarp::Slice<'_, i32>,
    y: anywarp::SliceMut<'_, T>,
) -> Result<(), OperationError> {
    match operation {
        "add" => scatter.add(x, indices, y),
        "multiply" => scatter.multiply(x, indices, y),
        "min" => scatter.min(x, indices, y),
        _ => scatter.max(x, indices, y),
    }
}

fn has_doubles(device: &Device) -> bool {
    device.caps().shader.contains(Capabilities::FLOAT64)
}

/// The number of elements, the number of positions, and the numbers of elements before x and y.
const SIZES: [(usize, usize, [usize; 2]); 7] = [
    (0, 3, [0, 0]),
    (1, 1, [0, 0]),
    (7, 2, [1, 3]),
    (256, 5, [3, 1]),
    (257, 64, [2, 7]),
    (10_007, 1, [1, 5]),
    (10_007, 1009, [5, 2]),
];

/// Every operation works, with slices at any offset; elements around them are unchanged.
fn combined<T: ScatterElement + Debug>(
    device: &Device,
    number: fn(usize) -> T,
    operations: &[Operation<T>],
) -> TestResult {
    for (count, places, [before_x, before_y]) in SIZES {
        let indices: Vec<i32> = (0..count).map(|at| ((at * 7919) % (places + 1)) as i32 - 1).collect();
        let wanted_places: Vec<Option<usize>> =
            indices.iter().map(|at| Some(if *at < 0 { places - 1 } else { *at as usize })).collect();
        let all: Vec<T> = (0..before_x + count + 3).map(number).collect();
        let (x, chosen) = (device.buffer_from(&all)?, device.buffer_from(&indices)?);
        for (name, combine) in operations {
            let mut wanted: Vec<T> = (0..before_y + places + 3).map(|at| number(at + 11)).collect();
            let mut y = device.buffer_from(&wanted)?;
            let own = &all[before_x..before_x + count];
            scatter_reference::scatter(&mut wanted[before_y..before_y + places], own, &wanted_places, combine);
            let target = y.slice_mut(before_y..before_y + places);
            run(Scatter::new([places], 0), name, x.slice(before_x..before_x + count), chosen.slice(..), target)?;
            same(&y.read()?, &wanted, &format!("{name} of {}, {count} at {places} places", T::layout().name))?;
        }
    }
    Ok(())
}

fn integers(device: &Device) -> TestResult {
    macro_rules! each {
        ($($integer:ident),*) => {$(
            combined::<$integer>(
                device,
                |at| ((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) as $integer | 1,
                &[
                    ("add", $integer::wrapping_add),
                    ("multiply", $integer::wrapping_mul),
                    ("min", $integer::min),
                    ("max", $integer::max),
                ],
            )?;
        )*};
    }
    each! { u8, u16, u32, u64, i8, i16, i32, i64 }
    Ok(())
}

/// Tests the operations with numbers whose sums and products are exact in any order, for one type of floats.
macro_rules! floats {
    ($device:expr, $float:ident) => {{
        let extremes: [Operation<$float>; 2] = [("min", $float::min), ("max", $float::max)];
        combined::<$float>($device, |at| $float::from((at % 251) as u8), &extremes)?;
        // The sums are between -2 and 3.
        combined::<$float>($device, |at| $float::from([1i8, -1][at % 2]), &[("multiply", |a, b| a * b)])?;
        combined::<$float>($device, |_| $float::from(0i8), &[("add", |a, b| a + b)])
    }};
}

/// Sums are right if each of 8 positions receives 30 ones, whose sums are exact in any order.
fn counts<T: ScatterElement + Debug>(device: &Device, number: fn(i8) -> T) -> TestResult {
    let indices: Vec<i32> = (0..240).map(|at| at * 3 % 8).collect();
    let (x, chosen) = (device.buffer_from(&[number(1); 240])?, device.buffer_from(&indices)?);
    for before in 0..3 {
        for ordered in [false, true] {
            let mut y = device.buffer_from(&[number(5); 13])?;
            let scatter = Scatter::new([8], 0);
            let scatter = if ordered { scatter.ordered() } else { scatter };
            scatter.add(&x, &chosen, y.slice_mut(before..before + 8))?;
            let wanted: Vec<T> =
                (0..13).map(|at| number(if (before..before + 8).contains(&at) { 35 } else { 5 })).collect();
            same(&y.read()?, &wanted, &format!("counts in {}, ordered: {ordered}", T::layout().name))?;
        }
    }
    Ok(())
}

fn small_floats(device: &Device) -> TestResult {
    floats!(device, f16)?;
    floats!(device, bf16)?;
    floats!(device, f32)?;
    counts::<f16>(device, f16::from)?;
    counts::<bf16>(device, bf16::from)?;
    counts::<f32>(device, f32::from)
}

/// Minima and maxima of `f64` work without `f64` on the device, on its bits alone; sums and products are refused there.
fn doubles(device: &Device) -> TestResult {
    let extremes: [Operation<f64>; 2] = [("min", f64::min), ("max", f64::max)];
    combined::<f64>(device, |at| f64::from((at * 37 % 1001) as u32) - 500.0, &extremes)?;
    if has_doubles(device) {
        floats!(device, f64)?;
        return counts::<f64>(device, f64::from);
    }
    let (x, indices) = (device.buffer_from(&[1.0f64; 4])?, device.buffer_from(&[0i32; 4])?);
    let mut y = device.buffer_from(&[5.0f64; 2])?;
    let Err(OperationError::Kernel { .. }) = Scatter::new([2], 0).add(&x, &indices, &mut y) else {
        return fail("the device has no f64, and adds it");
    };
    same(&y.read()?, &[5.0; 2], "nothing has run")
}

/// Sums of 64 bits carry from the low word to the high word.
fn carries(device: &Device) -> TestResult {
    let x: Vec<u64> = (0..5000u64).map(|at| u64::from(u32::MAX) - at % 3 + (at << 40)).collect();
    let indices: Vec<i32> = (0..5000).map(|at| at % 3).collect();
    let (source, chosen) = (device.buffer_from(&x)?, device.buffer_from(&indices)?);
    let mut wanted = [u64::MAX, 0, 1 << 63];
    let mut y = device.buffer_from(&wanted)?;
    x.iter().zip(&indices).for_each(|(x, at)| wanted[*at as usize] = wanted[*at as usize].wrapping_add(*x));
    Scatter::new([3], 0).add(&source, &chosen, &mut y)?;
    same(&y.read()?, &wanted, "sums")
}

/// NaN is the result of a minimum and of a maximum, with the same bits; the negative zero is below the positive zero.
fn extremes(device: &Device) -> TestResult {
    fn of<T: ScatterElement + Debug>(device: &Device, from: fn(f64) -> T) -> TestResult {
        let values = [f64::NEG_INFINITY, -65_504.0, -1.0, -1e-7, -0.0, 0.0, 1e-7, 1.0, 65_504.0, f64::INFINITY];
        let values = values.map(from);
        for low in 0..values.len() {
            for high in low..values.len() {
                let pair = device.buffer_from(&[values[high], values[low]])?;
                let (zeros, mut most) = (device.buffer_from(&[0i32; 2])?, device.buffer_from(&[values[low]; 3])?);
                let mut least = device.buffer_from(&[values[high]; 3])?;
                Scatter::new([1], 0).max(&pair, &zeros, most.slice_mut(1..2))?;
                Scatter::new([1], 0).min(&pair, &zeros, least.slice_mut(1..2))?;
                same(&most.read()?, &[values[low], values[high], values[low]], "the greatest")?;
                same(&least.read()?, &[values[high], values[low], values[high]], "the least")?;
            }
        }
        let (nan, zeros) = (device.buffer_from(&[values[0], from(-f64::NAN)])?, device.buffer_from(&[0i32; 2])?);
        let mut y = device.buffer_from(&values)?;
        Scatter::new([1], 0).max(&nan, &zeros, y.slice_mut(9..))?;
        let first = bytemuck::bytes_of(&y.read()?[9]).to_vec();
        Scatter::new([1], 0).min(&nan, &zeros, y.slice_mut(3..4))?;
        let read = y.read()?;
        ensure(bytemuck::bytes_of(&read[3]) == first, || format!("NaN has two forms: {read:?}"))?;
        ensure(format!("{:?}", read[3]) == "NaN", || format!("{read:?}"))
    }
    of(device, f16::from_f64)?;
    of(device, bf16::from_f64)?;
    of(device, |value| value as f32)?;
    of(device, |value| value)
}

/// Ordered sums are rounded once, other sums at each addition.
fn rounding(device: &Device) -> TestResult {
    fn of<T: ScatterElement>(device: &Device, from: fn(f64) -> T, to: fn(T) -> f64, digits: i32) -> TestResult {
        let x: Vec<T> = (0..3000u32).map(|at| from(f64::from(at.wrapping_mul(0x9e37_79b9) >> 20) / 4096.0)).collect();
        let indices: Vec<i32> = (0..3000).map(|at| at * 17 % 5).collect();
        let mut sums = [0f64; 5];
        x.iter().zip(&indices).for_each(|(x, at)| sums[*at as usize] += to(*x));
        let (source, chosen) = (device.buffer_from(&x)?, device.buffer_from(&indices)?);
        let mut first: Option<Vec<f64>> = None;
        for _ in 0..2 {
            let mut y = device.buffer_from(&[from(0.0); 5])?;
            Scatter::new([5], 0).ordered().add(&source, &chosen, &mut y)?;
            let got: Vec<f64> = y.read()?.iter().map(|sum| to(*sum)).collect();
            for (got, wanted) in got.iter().zip(&sums) {
                // The bound is half a unit in the last place, and the error of the sum in `f32`.
                let bound = wanted * (2f64.powi(-digits) + 600.0 * 2f64.powi(-24));
                ensure((got - wanted).abs() <= bound, || format!("{got} in place of {wanted}"))?;
            }
            same(first.get_or_insert_with(|| got.clone()), &got, "another call")?;
        }
        let mut y = device.buffer_from(&[from(0.0); 5])?;
        Scatter::new([5], 0).add(&source, &chosen, &mut y)?;
        // Each of 600 sums of up to about 300 is rounded; small numbers may be lost entirely.
        for (got, wanted) in y.read()?.iter().zip(&sums) {
            let bound = 600.0 * 512.0 * 2f64.powi(-digits);
            ensure((to(*got) - wanted).abs() <= bound, || format!("{} in place of {wanted}", to(*got)))?;
        }
        Ok(())
    }
    of::<f16>(device, f16::from_f64, f16::to_f64, 11)?;
    of::<bf16>(device, bf16::from_f64, bf16::to_f64, 8)
}

/// Sums of `f64` have the same bits at each call, with and without `ordered`.
fn ordered_doubles(device: &Device) -> TestResult {
    if !has_doubles(device) {
        return skip("the device has no f64");
    }
    let x: Vec<f64> = (0..30_011u32).map(|at| f64::from(at.wrapping_mul(0x9e37_79b9)) * 1e-9 - 2.0).collect();
    let indices: Vec<i32> = (0..30_011u32).map(|at| (at.wrapping_mul(0x85eb_ca6b) % 37) as i32).collect();
    let (source, chosen) = (device.buffer_from(&x)?, device.buffer_from(&indices)?);
    let mut sums = [0.5f64; 37];
    x.iter().zip(&indices).for_each(|(x, at)| sums[*at as usize] += x);
    let mut first: Option<Vec<f64>> = None;
    for ordered in [false, true, false] {
        let mut y = device.buffer_from(&[0.5f64; 37])?;
        let scatter = Scatter::new([37], 0);
        let scatter = if ordered { scatter.ordered() } else { scatter };
        scatter.add(&source, &chosen, &mut y)?;
        let y = y.read()?.to_vec();
        for (got, wanted) in y.iter().zip(&sums) {
            ensure((got - wanted).abs() < 1e-9, || format!("{got} in place of {wanted}"))?;
        }
        same(first.get_or_insert_with(|| y.clone()), &y, "another call")?;
    }
    Ok(())
}

/// Rows of a table by indices, and the derivatives by the table: rows added in the order of the indices, with the same
/// bits at each call.
fn embedding(device: &Device) -> TestResult {
    fn of<T: ScatterElement + Debug>(device: &Device, from: fn(f64) -> T, to: fn(T) -> f64, digits: i32) -> TestResult {
        let [words, width, count] = [50, 33, 1000];
        let number = |at: usize| (at as u32).wrapping_mul(0x9e37_79b9);
        let table: Vec<T> = (0..words * width).map(|at| from(f64::from(number(at) >> 20) / 512.0 - 4.0)).collect();
        let chosen: Vec<i64> = (0..count).map(|at| i64::from(number(at + 7) >> 8) % words as i64).collect();
        let dy: Vec<T> = (0..count * width).map(|at| from(f64::from(number(at) >> 21) / 512.0 - 2.0)).collect();
        let (source, indices) = (device.buffer_from(&table)?, device.buffer_from(&chosen)?);
        let mut y = device.buffer::<T>(count * width)?;
        take(&source, &indices, &mut y, [words, width], 0)?;
        let rows = chosen.iter().flat_map(|word| &table[*word as usize * width..][..width]).copied();
        same(&y.read()?, &rows.collect::<Vec<T>>(), "rows")?;
        let mut sums = vec![[0.0; 2]; words * width];
        for (at, dy) in dy.iter().enumerate() {
            let [sum, size] = &mut sums[chosen[at / width] as usize * width + at % width];
            (*sum, *size) = (*sum + to(*dy), *size + to(*dy).abs());
        }
        let dy = device.buffer_from(&dy)?;
        let mut first: Option<Vec<T>> = None;
        for _ in 0..3 {
            let mut derivatives = device.buffer_from(&vec![from(0.0); words * width])?;
            Scatter::new([words, width], 0).ordered().add(&dy, &indices, &mut derivatives)?;
            let got = derivatives.read()?.to_vec();
            for (got, [wanted, size]) in got.iter().zip(&sums) {
                // Sums in f32, of some twenty numbers each, rounded once to the type.
                let bound = size * 2f64.powi(-19) + wanted.abs() * 2f64.powi(-digits);
                ensure((to(*got) - wanted).abs() <= bound, || format!("{} in place of {wanted}", to(*got)))?;
            }
            same(first.get_or_insert_with(|| got.clone()), &got, "another call")?;
        }
        Ok(())
    }
    of::<f32>(device, |value| value as f32, f64::from, 24)?;
    of::<f16>(device, f16::from_f64, f16::to_f64, 11)?;
    of::<bf16>(device, bf16::from_f64, bf16::to_f64, 8)
}

/// A checked device finds no race and no access out of range.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    counts::<f16>(&device, f16::from)?;
    counts::<f64>(&device, f64::from)?;
    extremes(&device)?;
    carries(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
