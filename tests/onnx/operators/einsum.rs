//! Sums of products over named axes, and determinants.

use anywarp::Device;
use anywarp::ops::{ReductionKernel, shaped};
use anywarp_testing_devices::outcome::{TestResult, skip};

use super::arrange::taken;
use super::line::{Line, converted, wide};
use crate::array::{Array, Type, by_type};
use crate::graph::Call;

/// The names of an operand's axes: letters, and digits for the axes that `...` stands for, counted from the last one.
fn axes(letters: &str, rank: usize) -> Vec<char> {
    let named = letters.replace("...", "");
    let others: String = "0123456789".chars().take(rank.saturating_sub(named.len())).collect();
    let others: String = others.chars().rev().collect();
    letters.replace("...", &others).chars().collect()
}

/// The size of each axis in an operand, and its stride: the sum of the strides of all axes with the same letter.
fn walked(operand: &Array, own: &[char], all: &[char]) -> (Vec<usize>, Vec<usize>) {
    let stride = |at: usize| operand.shape[at + 1..].iter().product::<usize>();
    let places = |axis: char| own.iter().enumerate().filter(move |(_, other)| **other == axis).map(|(at, _)| at);
    let of = |axis: &char| {
        let size = places(*axis).map(|at| operand.shape[at]).max().unwrap_or(1);
        let strides: usize = places(*axis).map(stride).sum();
        (size, if size == 1 { 0 } else { strides })
    };
    all.iter().map(of).unzip()
}

pub(super) fn einsum(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let equation = call.text("equation", "").replace(' ', "");
    let (terms, result) = match equation.split_once("->") {
        Some((terms, result)) => (terms, Some(result.to_owned())),
        None => (&equation[..], None),
    };
    let operands = call.inputs()?;
    let own: Vec<Vec<char>> =
        terms.split(',').zip(&operands).map(|(term, operand)| axes(term, operand.shape.len())).collect();
    let mut letters: Vec<char> = own.iter().flatten().copied().collect();
    letters.sort_unstable();
    let once = |letter: &char| letters.iter().filter(|other| *other == letter).count() == 1;
    let kept: Vec<char> = match result {
        Some(result) => {
            let others = letters.iter().filter(|letter| letter.is_ascii_digit()).max();
            let count = others.and_then(|digit| digit.to_digit(10)).map_or(0, |digit| digit as usize + 1);
            axes(&result, result.replace("...", "").len() + if result.contains("...") { count } else { 0 })
        }
        // Without a list of output axes, the axes that are named once remain.
        None => letters.iter().filter(|letter| once(letter)).copied().collect(),
    };
    letters.dedup();
    letters.retain(|letter| !kept.contains(letter));
    let all = [&kept[..], &letters[..]].concat();
    let reduced: Vec<usize> = (kept.len()..all.len()).collect();
    let kind = operands.first().map_or(Type::F32, |operand| operand.kind);
    let operands: Vec<Array> = operands.iter().map(|operand| wide(call.device, operand)).collect::<TestResult<_>>()?;
    let views: Vec<(Vec<usize>, Vec<usize>)> =
        operands.iter().zip(&own).map(|(operand, own)| walked(operand, own, &all)).collect();
    let shape: Vec<usize> =
        (0..kept.len()).map(|axis| views.iter().map(|(sizes, _)| sizes[axis]).max().unwrap_or(1)).collect();
    let wide_kind = operands.first().map_or(Type::F32, |operand| operand.kind);
    let y = by_type!(wide_kind, [F32: f32, F64: f64, I32: i32, I64: i64], T => {
        let view = |at: usize| {
            let (sizes, strides) = views[at].clone();
            Ok::<_, anywarp_testing_devices::outcome::Stop>(shaped(operands[at].get::<T>()?, sizes).strides(strides))
        };
        let sum = |parameters: &str, map: &str| {
            let kernel = ReductionKernel::new(parameters, "y: T")?;
            TestResult::Ok(kernel.map(map).combine("a + b").identity("T(0)").name("einsum"))
        };
        let y = match operands.len() {
            1 => sum("x: T", "x")?.call(call.device).axes(reduced.clone()).apply::<T>(view(0)?)?,
            2 => sum("x: T, z: T", "x * z")?.call(call.device).axes(reduced.clone()).apply::<T>((view(0)?, view(1)?))?,
            _ => return skip("sums of products of three arrays"),
        };
        Ok(Array::new(wide_kind, shape, y))
    })?;
    Ok(vec![converted(call.device, &y, kind)?])
}

/// Computes determinants of matrices with two or three rows, for all indices of the axes before the last two.
pub(super) fn determinant(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let Some((outer, &[rows, columns])) = x.shape.split_last_chunk::<2>() else { return fail!("no matrix") };
    if rows != columns {
        return fail!("a matrix of {rows} x {columns}");
    }
    let flat = x.reshaped([outer.iter().product::<usize>(), rows * columns])?;
    let part = |at: u32| {
        let place = Array::from(call.device, Type::U32, [1], &[at])?;
        taken(call.device, &flat, &place, 1)?.reshaped(outer)
    };
    let y = match rows {
        2 => minor(call.device, x.kind, [part(0)?, part(1)?, part(2)?, part(3)?])?,
        3 => {
            // The determinant is expanded along the first row.
            let of = |[a, b, c, d]: [u32; 4]| minor(call.device, x.kind, [part(a)?, part(b)?, part(c)?, part(d)?]);
            let minors = [of([4, 5, 7, 8])?, of([3, 5, 6, 8])?, of([3, 4, 6, 7])?];
            let line = Line::new("y = a * d - b * e + c * f", x.kind);
            line.apply(call.device, &[&part(0)?, &part(1)?, &part(2)?, &minors[0], &minors[1], &minors[2]])?
        }
        _ => return skip("determinants of more than three rows"),
    };
    Ok(vec![y])
}

fn minor(device: &Device, kind: Type, [a, b, c, d]: [Array; 4]) -> TestResult<Array> {
    Line::new("y = a * d - b * c", kind).apply(device, &[&a, &b, &c, &d])
}
