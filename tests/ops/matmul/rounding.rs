//! 16-bit results, bit by bit: a single product is exact in `f32` and rounded once.

use anywarp::Device;
use anywarp::ops::matmul;
use half::{bf16, f16};

use crate::Case;
use crate::outcome::{TestResult, equal, same};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("f16::rounded_once".to_owned(), f16_rounded_once),
        ("bf16::rounded_once".to_owned(), bf16_rounded_once),
        ("f16::beyond_the_largest".to_owned(), beyond),
    ]
}

fn f16_rounded_once(device: &Device) -> TestResult {
    // The products include midpoints between two numbers, subnormal numbers, and numbers near zero.
    let column: Vec<f16> = (0..96).map(|at| f16::from_bits(0x0001 + at * 0x13b)).collect();
    let row: Vec<f16> = (0..95).map(|at| f16::from_bits(0x8000 * (at & 1) + 0x1c00 + at * 0xb1)).collect();
    let wanted: Vec<f16> =
        column.iter().flat_map(|a| row.iter().map(|b| f16::from_f32(a.to_f32() * b.to_f32()))).collect();
    let mut c = device.buffer::<f16>(wanted.len())?;
    matmul(&device.buffer_from(&column)?, &device.buffer_from(&row)?, &mut c, [96, 1, 95])?;
    same(&c.read()?, &wanted, "f16")
}

fn bf16_rounded_once(device: &Device) -> TestResult {
    let column: Vec<bf16> = (0..96).map(|at| bf16::from_bits(0x3001 + at * 0x35)).collect();
    let row: Vec<bf16> = (0..95).map(|at| bf16::from_bits(0x8000 * (at & 1) + 0x3080 + at * 0x27)).collect();
    let wanted: Vec<bf16> =
        column.iter().flat_map(|a| row.iter().map(|b| bf16::from_f32(a.to_f32() * b.to_f32()))).collect();
    let mut c = device.buffer::<bf16>(wanted.len())?;
    matmul(&device.buffer_from(&column)?, &device.buffer_from(&row)?, &mut c, [96, 1, 95])?;
    same(&c.read()?, &wanted, "bf16")
}

fn beyond(device: &Device) -> TestResult {
    let values = [65504.0f32, 65472.0, f32::INFINITY, f32::NAN, 2.0, -0.0];
    let column = device.buffer_from(&values.map(f16::from_f32))?;
    let row = device.buffer_from(&[f16::ONE, f16::from_f32(-2.0)])?;
    let mut c = device.buffer::<f16>(12)?;
    matmul(&column, &row, &mut c, [6, 1, 2])?;
    let got: Vec<String> = c.read()?.iter().map(|value| format!("{value}")).collect();
    // A sum may start with either zero, so the sign of a zero is ignored.
    let got: Vec<&str> = got.iter().map(|text| text.trim_start_matches("-0")).collect();
    let got: Vec<&str> = got.into_iter().map(|text| if text.is_empty() { "0" } else { text }).collect();
    equal(got, vec!["65504", "-inf", "65472", "-inf", "inf", "-inf", "NaN", "NaN", "2", "-4", "0", "0"], "f16")
}
