//! Scans.

use std::fmt::Debug;

use anywarp::ops::{OperationError, Scan, ScanElement, ScanForm, cumulative_sum};
use anywarp::{Device, Error, ErrorClass};
use half::f16;

use crate::outcome::{Context, TestResult, close, ensure, equal, refused, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../src/ops/scan/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("u32", |device| integers(device, &numbers(60_001))),
        ("i32", |device| integers(device, &Vec::from_iter(numbers(60_001).iter().map(|x| *x as i32 - 2000)))),
        ("u64", wide_integers),
        ("f32", floats),
        ("f16", halves),
        ("f64", doubles),
        ("vectors", vectors),
        ("nan", nan),
        ("operations", operations),
        ("order_of_an_operation", order_of_an_operation),
        ("axes", axes),
        ("segments", segments),
        ("keys", keys),
        ("forms", forms),
        ("same_bits", same_bits),
        ("slices", slices),
        ("many_tiles", many_tiles),
        ("in_place", in_place),
        ("recorded", recorded),
        ("streams", streams),
        ("after_the_host", after_the_host),
        ("refusals", refusals),
        ("refused_texts", refused_texts),
    ];
    cases.into_iter().map(|(name, run)| (format!("scan::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::scan".to_owned(), Box::new(clean))
}

/// 0, 1, and both sides of lanes, workgroups, tiles of 3 328 elements, and parts; primes.
const LENGTHS: [usize; 17] = [0, 1, 2, 7, 31, 127, 255, 256, 257, 1023, 1024, 3327, 3328, 3329, 6657, 32_769, 60_001];

const FORMS: [ScanForm; 4] =
    [ScanForm::Chained, ScanForm::Tiles, ScanForm::Lines { parts: 1 }, ScanForm::Lines { parts: 64 }];

/// Numbers below 4096 without a pattern.
fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// Whether the device has a type.
fn has(device: &Device, feature: &str) -> TestResult {
    match device.caps().feature_names().contains(&feature) {
        true => Ok(()),
        false => skip(format!("the device has no {feature}")),
    }
}

trait Integer: ScanElement + Debug + PartialEq {
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

fn integers<T: Integer>(device: &Device, all: &[T]) -> TestResult {
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

fn wide_integers(device: &Device) -> TestResult {
    has(device, "i64")?;
    integers(device, &Vec::from_iter(numbers(60_001).iter().map(|x| u64::from(*x) << 33 | 5)))
}

/// In `f64`, whose own errors are far below the tolerance.
fn exact(x: &[f64], exclusive: bool) -> Vec<f64> {
    reference::scan(x, [1, x.len(), 1], [exclusive, false], |_| false, 0.0, |a, b| a + b)
}

fn floats(device: &Device) -> TestResult {
    for length in LENGTHS {
        // Positive, so that the relative error of a sum is at most the number of additions times 2^-24; each result
        // has at most 13 + 16 + 16 within a tile, and some tens between tiles.
        let all: Vec<f32> = numbers(length).iter().map(|x| *x as f32 / 3.0).collect();
        let exact = exact(&Vec::from_iter(all.iter().map(|x| f64::from(*x))), false);
        let x = device.buffer_from(&all)?;
        for form in FORMS {
            let mut y = device.buffer::<f32>(length)?;
            Scan::sum().form(form).run(&x, &mut y)?;
            // A single part adds one element after the other.
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
fn halves(device: &Device) -> TestResult {
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

fn doubles(device: &Device) -> TestResult {
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

fn vectors(device: &Device) -> TestResult {
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

/// A NaN wins, and infinities are numbers.
fn nan(device: &Device) -> TestResult {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let mut all = vec![1.0f32, -inf, 3.0, inf, 2.0, nan, 7.0, -inf];
    all.resize(5000, 1.0);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<f32>(all.len())?;
        Scan::max().form(form).run(&x, &mut y)?;
        let got = y.read()?;
        same(&got[..5], &[1.0, 1.0, 3.0, inf, inf], &format!("{form:?}: maxima"))?;
        ensure(got[5..].iter().all(|x| x.is_nan()), || format!("{form:?}: a maximum lost the NaN"))?;
        drop(got);
        Scan::min().form(form).run(&x, &mut y)?;
        let got = y.read()?;
        same(&got[..5], &[1.0, -inf, -inf, -inf, -inf], &format!("{form:?}: minima"))?;
        ensure(got[5..].iter().all(|x| x.is_nan()), || format!("{form:?}: a minimum lost the NaN"))?;
    }
    let mut y = device.buffer::<f32>(3)?;
    Scan::min().exclusive().run(x.slice(..3), &mut y)?;
    same(&y.read()?, &[inf, 1.0, -inf], "the identity of the minimum")
}

fn operations(device: &Device) -> TestResult {
    let all: Vec<i32> = numbers(5003).iter().map(|x| *x as i32 - 2048).collect();
    let x = device.buffer_from(&all)?;
    let lines = [1, all.len(), 1];
    for form in FORMS {
        let mut y = device.buffer::<i32>(all.len())?;
        Scan::min().exclusive().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [true, false], |_| false, i32::MAX, i32::min);
        same(&y.read()?, &wanted, &format!("{form:?}: minima"))?;
        Scan::max().exclusive().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [true, false], |_| false, i32::MIN, i32::max);
        same(&y.read()?, &wanted, &format!("{form:?}: maxima"))?;
        Scan::product().form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [false; 2], |_| false, 1, i32::wrapping_mul);
        same(&y.read()?, &wanted, &format!("{form:?}: products"))?;
        Scan::new("mix(a, b)", -1).preamble("fn mix(a: A, b: A) -> A { return a & b; }").form(form).run(&x, &mut y)?;
        let wanted = reference::scan(&all, lines, [false; 2], |_| false, -1, |a, b| a & b);
        same(&y.read()?, &wanted, &format!("{form:?}: an operation with a function"))?;
    }
    let x = device.buffer_from(&[3.0f32, 1.0, 2.0])?;
    let mut y = device.buffer::<f32>(3)?;
    Scan::new("min(a, b)", f32::INFINITY).exclusive().run(&x, &mut y)?;
    same(&y.read()?, &[f32::INFINITY, 3.0, 1.0], "an operation with an infinite identity")
}

/// An operation that is not commutative: linear functions, one after the other.
fn order_of_an_operation(device: &Device) -> TestResult {
    let all: Vec<[u32; 2]> = numbers(10_007).iter().map(|x| [x | 1, x / 3]).collect();
    let then = |a: [u32; 2], b: [u32; 2]| [a[0].wrapping_mul(b[0]), a[1].wrapping_mul(b[0]).wrapping_add(b[1])];
    let x = device.buffer_from(&all)?;
    for reverse in [false, true] {
        let wanted = reference::scan(&all, [1, all.len(), 1], [false, reverse], |_| false, [1, 0], then);
        for form in FORMS {
            let mut y = device.buffer::<[u32; 2]>(all.len())?;
            let scan = Scan::new("vec2(a.x * b.x, a.y * b.x + b.y)", "vec2(1u, 0u)").form(form);
            let scan = if reverse { scan.reverse() } else { scan };
            scan.run(&x, &mut y)?;
            same(&y.read()?, &wanted, &format!("{form:?}, reverse: {reverse}"))?;
        }
    }
    // The same for values of four bytes, which are chained: the last number that is not zero.
    let all: Vec<u32> = numbers(50_021).iter().map(|x| if x % 500 == 0 { *x } else { 0 }).collect();
    let last = |a: u32, b: u32| if b == 0 { a } else { b };
    let wanted = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, 0, last);
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(all.len())?;
        Scan::new("select(b, a, b == 0u)", 0).form(form).run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{form:?}, the last"))?;
    }
    Ok(())
}

fn axes(device: &Device) -> TestResult {
    let shapes: [&[usize]; 8] =
        [&[7], &[5, 4001], &[4001, 5], &[3, 700, 11], &[70, 2, 31], &[6, 0, 3], &[2, 5, 1], &[1, 9000, 2]];
    for shape in shapes {
        let length = shape.iter().product();
        let all = numbers(length);
        let x = device.buffer_from(&all)?;
        let mut y = device.buffer::<u32>(length)?;
        for axis in 0..shape.len() {
            let inner: usize = shape[axis + 1..].iter().product();
            let lines = [shape[..axis].iter().product::<usize>() * inner, shape[axis], inner];
            for reverse in [false, true] {
                let wanted = match length {
                    0 => Vec::new(),
                    _ => reference::scan(&all, lines, [true, reverse], |_| false, 0, u32::wrapping_add),
                };
                for form in [None, Some(FORMS[0]), Some(FORMS[1]), Some(FORMS[2]), Some(FORMS[3])] {
                    let mut scan = Scan::sum().exclusive().axis(shape, axis);
                    scan = if reverse { scan.reverse() } else { scan };
                    scan = if let Some(form) = form { scan.form(form) } else { scan };
                    y.fill(7)?;
                    scan.run(&x, &mut y)?;
                    same(&y.read()?, &wanted, &format!("{shape:?}, axis {axis}, reverse {reverse}, {form:?}"))?;
                }
            }
        }
    }
    Ok(())
}

fn segments(device: &Device) -> TestResult {
    for length in [1, 100, 3328, 12_007, 50_000] {
        let all = numbers(length);
        // Falling, repeated, and behind the end: each offset below the length begins a segment.
        let offsets: Vec<u32> = (0..length as u32 / 97 + 3).map(|at| (at * 7919) % (length as u32 + 40)).collect();
        let flags: Vec<u32> = all.iter().map(|x| u32::from(x % 300 == 7) * x).collect();
        let x = device.buffer_from(&all)?;
        let (offsets_on_device, flags_on_device) = (device.buffer_from(&offsets)?, device.buffer_from(&flags)?);
        let mut at_offset = vec![false; length];
        for at in offsets.iter().filter(|at| (**at as usize) < length) {
            at_offset[*at as usize] = true;
        }
        for form in FORMS {
            let mut y = device.buffer::<u32>(length)?;
            for reverse in [false, true] {
                let scan = || if reverse { Scan::sum().form(form).reverse() } else { Scan::sum().form(form) };
                let wanted = |is_head: &dyn Fn(usize) -> bool| {
                    reference::scan(&all, [1, length, 1], [false, reverse], is_head, 0, u32::wrapping_add)
                };
                let what = |by: &str| format!("{length} elements, {form:?}, reverse {reverse}, by {by}");
                scan().segments(&offsets_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| at_offset[at]), &what("offsets"))?;
                scan().heads(&flags_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| flags[at] != 0), &what("flags"))?;
                scan().heads(&flags_on_device).segments(&offsets_on_device).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|at| flags[at] != 0 || at_offset[at]), &what("both"))?;
                scan().segments(offsets_on_device.slice(..0)).run(&x, &mut y)?;
                same(&y.read()?, &wanted(&|_| false), &what("no offsets"))?;
            }
        }
    }
    Ok(())
}

fn keys(device: &Device) -> TestResult {
    let length = 20_011;
    let keys: Vec<i32> = numbers(length)
        .iter()
        .scan(0, |at, x| {
            *at += i32::from(x % 50 == 0);
            Some(*at % 3)
        })
        .collect();
    let all = numbers(length);
    let keys_on_device = device.buffer_from(&[&[5; 3], &keys[..]].concat())?;
    let x = device.buffer_from(&all)?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(length)?;
        for exclusive in [false, true] {
            let is_head = |at: usize| at > 0 && keys[at] != keys[at - 1];
            let wanted = reference::scan(&all, [1, length, 1], [exclusive, false], is_head, 0, u32::wrapping_add);
            let scan = Scan::sum().form(form).keys::<i32>(keys_on_device.slice(3..));
            if exclusive {
                scan.exclusive().run(&x, &mut y)?;
            } else {
                scan.run(&x, &mut y)?;
            };
            same(&y.read()?, &wanted, &format!("{form:?}, exclusive {exclusive}"))?;
        }
    }
    let floats = device.buffer_from(&[0.0f32, -0.0, 1.5, 1.5, 2.0])?;
    let ones = device.buffer_from(&[1u32; 5])?;
    let mut y = device.buffer::<u32>(5)?;
    Scan::sum().keys(&floats).run(&ones, &mut y)?;
    same(&y.read()?, &[1, 2, 1, 2, 1], "keys of floats")
}

/// Forms with more parts than elements, and none.
fn forms(device: &Device) -> TestResult {
    let all = numbers(1000);
    let x = device.buffer_from(&all)?;
    let wanted = reference::scan(&all, [1, 1000, 1], [false; 2], |_| false, 0, u32::wrapping_add);
    let mut y = device.buffer::<u32>(1000)?;
    for parts in [0, 1, 999, 1000, u32::MAX] {
        y.fill(7)?;
        Scan::sum().form(ScanForm::Lines { parts }).run(&x, &mut y)?;
        same(&y.read()?, &wanted, &format!("{parts} parts"))?;
    }
    Ok(())
}

/// Float sums have the same bits at each call, whatever else runs.
fn same_bits(device: &Device) -> TestResult {
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

/// Slices at any offset; elements around them are unchanged.
fn slices(device: &Device) -> TestResult {
    let all = numbers(12_000);
    let x = device.buffer_from(&all)?;
    for (from, to, length) in [(1, 3, 5), (3, 1, 1000), (64, 65, 3328), (7, 7, 0), (130, 9, 10_007)] {
        for form in FORMS {
            let mut wanted = vec![99u32; 11_000];
            let mut y = device.buffer_from(&wanted)?;
            let (source, target) = (from..from + length, to..to + length);
            Scan::sum().form(form).run(x.slice(source.clone()), y.slice_mut(target.clone()))?;
            let sums = reference::scan(&all[source], [1, length, 1], [false; 2], |_| false, 0, u32::wrapping_add);
            wanted[target].copy_from_slice(&sums);
            same(&y.read()?, &wanted, &format!("{length} elements from {from} to {to}, {form:?}"))?;
        }
    }
    Ok(())
}

/// More lines than a grid has workgroups in a dimension.
fn many_tiles(device: &Device) -> TestResult {
    let shape = [17_000_000usize, 1];
    let all: Vec<u32> = (0..shape[0] as u32).collect();
    let x = device.buffer_from(&all)?;
    let mut y = device.buffer::<u32>(shape[0])?;
    // Each line is one element: an exclusive scan is zero, an inclusive one a copy.
    Scan::sum().axis(shape, 1).form(ScanForm::Lines { parts: 1 }).run(&x, &mut y)?;
    ensure(*y.read()? == *all, || "more than 65 535 workgroups of lines".to_owned())?;
    y.fill(7)?;
    Scan::max().run(&x, &mut y)?;
    ensure(*y.read()? == *all, || "a long scan".to_owned())
}

fn in_place(device: &Device) -> TestResult {
    let all = numbers(30_011);
    for form in FORMS {
        let mut x = device.buffer_from(&all)?;
        Scan::sum().form(form).run_in_place(x.slice_mut(5..30_000))?;
        let mut wanted = all.clone();
        let sums = reference::scan(&all[5..30_000], [1, 29_995, 1], [false; 2], |_| false, 0, u32::wrapping_add);
        wanted[5..30_000].copy_from_slice(&sums);
        same(&x.read()?, &wanted, &format!("{form:?}"))?;
    }
    let mut x = device.buffer_from(&all[..6000])?;
    Scan::sum().axis([100, 60], 0).exclusive().reverse().run_in_place(&mut x)?;
    let wanted = reference::scan(&all[..6000], [60, 100, 60], [true, true], |_| false, 0, u32::wrapping_add);
    same(&x.read()?, &wanted, "along an axis")
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&numbers(9000))?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(9000)?;
        let mut recording = device.recording();
        Scan::sum().form(form).record(&mut recording).run(&x, &mut y)?;
        y.fill(0)?;
        ensure(y.read()?.iter().all(|y| *y == 0), || "nothing runs before it is submitted".to_owned())?;
        for scale in [1, 3] {
            let all: Vec<u32> = numbers(9000).iter().map(|x| x * scale).collect();
            x.copy_from_slice(&all)?;
            recording.submit()?;
            let wanted = reference::scan(&all, [1, 9000, 1], [false; 2], |_| false, 0, u32::wrapping_add);
            same(&y.read()?, &wanted, &format!("{form:?}, times {scale}"))?;
        }
    }
    Ok(())
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let all = numbers(40_000);
    let x = device.buffer_from(&all)?;
    let wanted = reference::scan(&all, [1, all.len(), 1], [false; 2], |_| false, 0, u32::wrapping_add);
    for form in FORMS {
        let (mut y, mut z) = (device.buffer::<u32>(all.len())?, device.buffer::<u32>(all.len())?);
        for _ in 0..4 {
            Scan::sum().form(form).on(&first).run(&x, &mut y)?;
            Scan::sum().form(form).on(&second).run(&x, &mut z)?;
        }
        same(&y.read()?, &wanted, "on one stream")?;
        same(&z.read()?, &wanted, "on another")?;
    }
    Ok(())
}

fn after_the_host(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1u32; 10])?;
    let mut y = device.buffer::<u32>(12)?;
    x.update()?[3] = 5;
    y.write()?.fill(7);
    cumulative_sum(&x, y.slice_mut(1..11))?;
    y.slice_mut(11..).copy_from_slice(&[9])?;
    same(&y.read()?, &[7, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 9], "between writes of the host")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[5u32; 6])?;
    let mut y = device.buffer_from(&[7u32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(cumulative_sum(&x, y.slice_mut(..5)), is_length, &["scan: 'y' has 5 elements", "[6] needs 6"])?;
    refused(Scan::sum().axis([2, 4], 0).run(&x, &mut y), is_length, &["'x' has 6 elements", "[2, 4] needs 8"])?;
    refused(Scan::sum().heads(x.slice(1..)).run(&x, &mut y), is_length, &["'heads' has 5 elements", "needs 6"])?;
    refused(Scan::sum().keys::<u32>(x.slice(..0)).run(&x, &mut y), is_length, &["'keys' has 0 elements"])?;
    refused(Scan::sum().axis([2, 4], 0).cost::<u32>(device, 6), is_length, &["'x' has 6 elements"])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(Scan::sum().axis([2, 3], 2).run(&x, &mut y), is_axis, &["scan: axis 2 is out of range", "[2, 3]"])?;
    refused(Scan::sum().axis([], 0).run(x.slice(..1), y.slice_mut(..1)), is_axis, &["axis 0"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let both = Scan::sum().axis([2, 3], 1).segments(&x).run(&x, &mut y);
    refused(both, is_choice, &["scan: an axis with segments", "omit one"])?;
    refused(Scan::sum().keys(&x).heads(&x).run(&x, &mut y), is_choice, &["segments by keys", "use keys alone"])?;
    let is_slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(cumulative_sum(x.slice(4..9), &mut y), is_slice, &["scan: 'x'", "4..9", "6 elements"])?;
    refused(Scan::sum().segments(x.slice(7..)).run(&x, &mut y), is_slice, &["'offsets'"])?;
    refused(Scan::sum().run_in_place(y.slice_mut(2..8)), is_slice, &["'x'", "2..8"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Scan::sum().cost::<u32>(device, 1 << 32), is_large, &["scan: x", "4294967296", "4294901760"])?;
    refused(Scan::sum().axis([1 << 40, 1 << 40], 0).run(&x, &mut y), is_large, &["scan: x"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(Scan::sum().on(&other.stream()).run(&x, &mut y), is_foreign, &["scan", "the stream"])?;
    let foreign = other.buffer_from(&[0u32; 6])?;
    refused(cumulative_sum(&foreign, &mut y), is_foreign, &["scan", "'x'"])?;
    refused(Scan::sum().heads(&foreign).run(&x, &mut y), is_foreign, &["'heads'"])?;
    let mut recording = other.recording();
    refused(Scan::sum().record(&mut recording).run(&x, &mut y), is_foreign, &["the recording"])?;
    let class = Error::from(cumulative_sum(&x, y.slice_mut(..5)).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&y.read()?, &[7; 6], "no scan has run")
}

fn refused_texts(device: &Device) -> TestResult {
    let x = device.buffer_from(&[5.0f32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let is_kernel = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    refused(Scan::new("a + c", 0).run(&x, &mut y), is_kernel, &["a + c"])?;
    refused(Scan::new("a + b", "zero").run(&x, &mut y), is_kernel, &["zero"])?;
    refused(Scan::new("a +", 0).run(&x, &mut y), is_kernel, &["scan_monoid"])?;
    if !device.caps().feature_names().contains(&"f64") {
        let mut wide = device.buffer::<f64>(3)?;
        refused(Scan::sum().run_in_place(&mut wide), is_kernel, &["f64"])?;
    }
    same(&y.read()?, &[7.0; 6], "no scan has run").context(|| "after refused texts".to_owned())
}

/// No race, no access out of range, and no read of uninitialised data.
fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    let x = device.buffer_from(&numbers(9000))?;
    for form in FORMS {
        let mut y = device.buffer::<u32>(9000)?;
        for length in [1, 300, 7001] {
            Scan::sum().form(form).run(x.slice(3..3 + length), y.slice_mut(5..5 + length))?;
            Scan::sum().form(form).segments(x.slice(..50)).run(x.slice(3..3 + length), y.slice_mut(5..5 + length))?;
            Scan::sum().form(form).reverse().run_in_place(y.slice_mut(1..=length))?;
            let findings = device.findings();
            ensure(findings.iter().next().is_none(), || format!("{form:?}, {length} elements:\n{findings}"))?;
        }
    }
    Ok(())
}
