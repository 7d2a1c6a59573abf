//! Scans.

mod memory;
mod operations;
mod parts;
mod refusals;
mod sums;

use anywarp::Device;
use anywarp::ops::{Scan, ScanForm};

use crate::outcome::{TestResult, same, skip};
use crate::{Alone, Case, Unnamed};

#[path = "../../../src/ops/scan/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("u32", |device| sums::integers(device, &numbers(60_001))),
        ("i32", |device| sums::integers(device, &Vec::from_iter(numbers(60_001).iter().map(|x| *x as i32 - 2000)))),
        ("u64", sums::wide_integers),
        ("f32", sums::floats),
        ("f16", sums::halves),
        ("f64", sums::doubles),
        ("vectors", sums::vectors),
        ("nan", operations::nan),
        ("operations", operations::operations),
        ("order_of_an_operation", operations::order_of_an_operation),
        ("axes", parts::axes),
        ("segments", parts::segments),
        ("keys", parts::keys),
        ("forms", forms),
        ("same_bits", sums::same_bits),
        ("slices", memory::slices),
        ("many_tiles", memory::many_tiles),
        ("in_place", memory::in_place),
        ("recorded", memory::recorded),
        ("streams", memory::streams),
        ("after_the_host", memory::after_the_host),
        ("refusals", refusals::refusals),
        ("refused_texts", refusals::refused_texts),
    ];
    cases.into_iter().map(|(name, run)| (format!("scan::{name}"), run)).collect()
}

pub(crate) fn checked() -> Alone {
    ("cpu:checked::scan".to_owned(), Box::new(memory::clean))
}

/// Lengths of 0 and 1, around lanes, workgroups, tiles of 3,328 elements, and parts, and primes.
const LENGTHS: [usize; 17] = [0, 1, 2, 7, 31, 127, 255, 256, 257, 1023, 1024, 3327, 3328, 3329, 6657, 32_769, 60_001];

const FORMS: [ScanForm; 6] = [
    ScanForm::Chained,
    ScanForm::Tiles,
    ScanForm::Vectors { each: 2, chained: true },
    ScanForm::Vectors { each: 2, chained: false },
    ScanForm::Lines { parts: 1 },
    ScanForm::Lines { parts: 64 },
];

/// Numbers below 4096 without a pattern.
fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// Skips the case on devices without a feature.
fn has(device: &Device, feature: &str) -> TestResult {
    match device.caps().feature_names().contains(&feature) {
        true => Ok(()),
        false => skip(format!("the device has no {feature}")),
    }
}

/// The sums in `f64`, whose errors are far below the tolerance.
fn exact(x: &[f64], exclusive: bool) -> Vec<f64> {
    reference::scan(x, [1, x.len(), 1], [exclusive, false], |_| false, 0.0, |a, b| a + b)
}

/// A scan is right with any number of parts, such as more parts than elements, and none.
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
