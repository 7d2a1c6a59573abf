//! Sums of each type of element, and their accuracy.

use std::fmt::Debug;

use anywarp::Device;
use anywarp::ops::{Scan, ScanElement, ScanForm, cumulative_sum};
use half::f16;

use super::{FORMS, LENGTHS, exact, has, numbers, reference};
use crate::outcome::{TestResult, close, ensure, same};

pub(super) trait Integer: ScanElement + Debug + PartialEq {
    fn plus(self, other: Self) -> Self;
}

impl Integer for u32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Integer for i32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Integer for u64 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

pub(super) fn integers<T: Integer>(device: &Device, all: &[T]) -> TestResult {
    for length in LENGTHS {
        let x = device.buffer_from(&all[..length])?;
        let mut y = device.buffer::<T>(length)?;
        let expected = |exclusive, reverse| {
            let lines = [1, length, 1];
            reference::scan(&all[..length], lines, [exclusive, reverse], |_| false, T::zeroed(), T::plus)
        };
        cumulative_sum(&x, &mut y)?;
        same(&y.read()?, &expected(false, false), &format!("{length} elements"))?;
        Scan::sum().exclusive().run(&x, &mut y)?;
        same(&y.read()?, &expected(true, false), &format!("{length} elements, exclusive"))?;
        Scan::sum().reverse().run(&x, &mut y)?;
        same(&y.read()?, &expected(false, true), &format!("{length} elements, reverse"))?;
        Scan::sum().reverse().exclusive().run(&x, &mut y)?;
        same(&y.read()?, &expected(true, true), &format!("{length} elements, reverse and exclusive"))?;
    }
    Ok(())
}

pub(super) fn wide_integers(device: &Device) -> TestResult {
    has(device, "i64")?;
    integers(device, &Vec::from_iter(numbers(60_001).iter().map(|x| u64::from(*x) << 33 | 5)))
}

pub(super) fn floats(device: &Device) -> TestResult {
    for length in LENGTHS {
        // The numbers are positive, so that the relative error of a sum is at most the number of additions times 2^-24.
        // Each result has at most 13 + 16 + 16 additions within a tile, and some tens between tiles.
        let all: Vec<f32> = numbers(length).iter().map(|x| *x as f32 / 3.0).collect();
        let exact = exact(&Vec::from_iter(all.iter().map(|x| f64::from(*x))), false);
        let x = device.buffer_from(&all)?;
        for form in FORMS {
            let mut y = device.buffer::<f32>(length)?;
            Scan::sum().form(form).run(&x, &mut y)?;
            // A scan with a single part adds one element after the other.
            let roundings = if form == (ScanForm::Lines { parts: 1 }) { length as f64 } else { 2000.0 };
            for (at, (got, wanted)) in y.read()?.iter().zip(&exact).enumerate() {
                let within = (f64::from(*got) - wanted).abs() <= wanted * roundings * 2.0f64.powi(-24);
                ensure(within, || format!("{length} elements, {form:?}: element {at}: {got}, not {wanted}"))?;
            }
        }
    }
    Ok(())
}

/// Halves are summed in `f32`, so that a long sum of small numbers is exact until it is rounded.
pub(super) fn halves(device: &Device) -> TestResult {
    has(device, "f16")?;
    let length = 10_001;
    let x = device.buffer_from(&vec![f16::from_f32(0.25); length])?;
    let wanted: Vec<f16> = (1..=length).map(|at| f16::from_f32(at as f32 * 0.25)).collect();
    for form in FORMS {
        let mut y = device.buffer::<f16>(length + 1)?;
        Scan::sum().form(form).run(&x, y.slice_mut(1..))?;
        same(&y.read()?[1..], &wanted, &format!("{form:?}"))?;
    }
    Ok(())
}

pub(super) fn doubles(device: &Device) -> TestResult {
    has(device, "f64")?;
    let all: Vec<f64> = numbers(20_011).iter().map(|x| f64::from(*x)).collect();
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<f64>(all.len())?;
        Scan::sum().exclusive().form(form).run(&x, &mut y)?;
        same(&y.read()?, &exact(&all, true), &format!("{form:?}"))?;
        Scan::max().form(form).run(&x, &mut y)?;
        let greatest = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, f64::NEG_INFINITY, f64::max);
        same(&y.read()?, &greatest, &format!("{form:?}, maxima"))?;
    }
    Ok(())
}

pub(super) fn vectors(device: &Device) -> TestResult {
    let all: Vec<[u32; 4]> = numbers(7001).iter().map(|x| [*x, 1, x / 7, x % 5]).collect();
    let add = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|at| a[at] + b[at]);
    let wanted = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, [0; 4], add);
    let greater = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|at| a[at].max(b[at]));
    let greatest = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, [0; 4], greater);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<[u32; 4]>(all.len())?;
        Scan::sum().form(form).run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{form:?}"))?;
        Scan::max().form(form).run(&x, &mut y)?;
        same(&y.read()?, &greatest, &format!("{form:?}, maxima"))?;
    }
    Ok(())
}

/// Float sums have the same bits at each call.
pub(super) fn same_bits(device: &Device) -> TestResult {
    let all: Vec<f32> = numbers(60_007).iter().map(|x| (*x as f32 - 2000.0) * 1.37).collect();
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut first = device.buffer::<f32>(all.len())?;
        Scan::sum().form(form).run(&x, &mut first)?;
        let first = first.read()?.to_vec();
        for _ in 0..5 {
            let mut y = device.buffer::<f32>(all.len() + 1)?;
            Scan::sum().form(form).run(&x, y.slice_mut(1..))?;
            same(&y.read()?[1..], &first, &format!("{form:?}"))?;
        }
        let wanted = exact(&Vec::from_iter(all.iter().map(|x| f64::from(*x))), false);
        close(&[first[all.len() - 1]], &[wanted[all.len() - 1] as f32], 0.1, "the last sum")?;
    }
    Ok(())
}
