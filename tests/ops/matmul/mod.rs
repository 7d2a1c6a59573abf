//! Products of all shapes, each element within the allowed error of its sum.

pub(crate) mod element;
mod epilogue;
mod forms;
#[path = "../../../src/ops/matmul/reference.rs"]
mod reference;
mod refusals;
mod rounding;
mod slices;
mod storage;
pub(crate) mod vendor_library;

use anywarp::Device;
use anywarp::ops::{Matmul, Precision, matmul};
use half::{bf16, f16};

use crate::Case;
use crate::outcome::{Context, TestResult, fail};
use element::{Number, numbers};
use reference::Exact;

/// Names, and rows, depth and columns.
const SHAPES: [(&str, [usize; 3]); 14] = [
    ("one", [1, 1, 1]),
    ("small", [7, 5, 3]),
    ("tile", [64, 64, 64]),
    ("around_a_tile", [65, 127, 33]),
    ("below_a_tile", [63, 15, 63]),
    ("primes", [131, 17, 193]),
    ("outer", [129, 1, 130]),
    ("dot", [1, 1000, 1]),
    ("row_times_matrix", [1, 300, 257]),
    ("matrix_times_column", [257, 300, 1]),
    ("no_rows", [0, 5, 3]),
    ("no_columns", [5, 3, 0]),
    ("nothing", [0, 0, 0]),
    ("no_depth", [5, 0, 3]),
];

pub(crate) fn cases() -> Vec<Case> {
    let groups = [
        shapes_of_products(),
        forms::cases(),
        epilogue::cases(),
        slices::cases(),
        rounding::cases(),
        refusals::cases(),
        storage::cases(),
    ];
    groups.into_iter().flatten().map(|(name, run)| (format!("matmul::{name}"), run)).collect()
}

fn shapes_of_products() -> Vec<Case> {
    vec![
        ("f32::shapes".to_owned(), shapes::<f32>),
        ("f16::shapes".to_owned(), shapes::<f16>),
        ("bf16::shapes".to_owned(), shapes::<bf16>),
        ("tf32::shapes".to_owned(), tf32),
        ("f32::larger".to_owned(), larger),
        ("f32::infinities_stay_in_their_row_and_column".to_owned(), infinities),
    ]
}

fn shapes<T: Number>(device: &Device) -> TestResult {
    SHAPES.iter().try_for_each(|(name, sizes)| product::<T>(device, *sizes, None).context(|| (*name).to_owned()))
}

fn tf32(device: &Device) -> TestResult {
    SHAPES.iter().try_for_each(|(name, sizes)| {
        product::<f32>(device, *sizes, Some(Precision::Tf32)).context(|| (*name).to_owned())
    })
}

fn larger(device: &Device) -> TestResult {
    product::<f32>(device, [257, 520, 300], None)
}

fn product<T: Number>(device: &Device, [m, k, n]: [usize; 3], precision: Option<Precision>) -> TestResult {
    let (of_a, of_b) = (numbers::<T>(m * k, 1), numbers::<T>(k * n, 2));
    let (a, b) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?);
    let mut c = device.buffer_from(&vec![T::of(7.0); m * n])?;
    match precision {
        None => matmul(&a, &b, &mut c, [m, k, n])?,
        Some(precision) => Matmul::new([m, k, n]).precision(precision).run(&a, &b, &mut c)?,
    }
    judge(&c.read()?, &of_a, &of_b, [m, k, n], precision)
}

/// Checks each element, which may differ by k + 1 roundings of the sum of all absolute products, plus the rounding of
/// the result. In TF32 each factor is first rounded to ten bits after the point.
pub(crate) fn judge<T: Number>(
    got: &[T],
    a: &[T],
    b: &[T],
    [m, k, n]: [usize; 3],
    precision: Option<Precision>,
) -> TestResult {
    let cut = if precision == Some(Precision::Tf32) { 2.0 / 1024.0 } else { 0.0 };
    let exact = |elements: &[T]| elements.iter().map(|element| element.exact()).collect::<Vec<f64>>();
    for (at, Exact { sum, magnitude: size }) in
        reference::matmul(&exact(a), &exact(b), [m, k, n]).into_iter().enumerate()
    {
        let rounding = (k + 1) as f64 / f64::from(1 << 24) + cut;
        let most = rounding * size + T::ROUNDING * (sum.abs() + rounding * size) + T::SMALLEST;
        let (row, column, got) = (at / n, at % n, got[at].exact());
        // The comparison is negated, so that NaN counts as an error.
        let within = (got - sum).abs() <= most;
        if !within {
            return fail(format!("{m}x{k}x{n}: c[{row}, {column}] expected {sum} within {most:e}, got {got}"));
        }
    }
    Ok(())
}

fn infinities(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [66, 33, 35];
    let (mut of_a, mut of_b) = (numbers::<f32>(m * k, 3), numbers::<f32>(k * n, 4));
    of_a[(m - 1) * k + 5] = f32::INFINITY;
    of_b[7 * n + n - 1] = f32::INFINITY;
    let (a, b) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?);
    let mut c = device.buffer::<f32>(m * n)?;
    matmul(&a, &b, &mut c, sizes)?;
    for (at, value) in c.read()?.iter().enumerate() {
        let (row, column) = (at / n, at % n);
        if value.is_finite() == (row == m - 1 || column == n - 1) {
            return fail(format!("c[{row}, {column}] is {value}"));
        }
    }
    Ok(())
}
