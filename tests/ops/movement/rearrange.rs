//! Rearrangements and joins: every element type, size and offset, compared with the reference.

use std::fmt::Debug;

use anywarp::ops::{
    Join, OperationError, Pad, Rearrange, Split, Steps, broadcast, concatenate, copy_part, flip, pad, permute, roll,
    split, stack, steps, tile, transpose,
};
use anywarp::{Device, Element};
use proptest::prelude::*;

use super::elements;
use crate::Case;
use crate::outcome::{Stop, TestResult, ensure, equal, refused, same, skip};

#[path = "../../../src/ops/rearrange/reference.rs"]
mod reference;

#[path = "../../../src/ops/join/reference.rs"]
mod join_reference;

use reference::{Around, Change};

pub(super) fn cases() -> Vec<Case> {
    vec![
        ("rearrange::u8".to_owned(), planes::<u8>),
        ("rearrange::u16".to_owned(), planes::<u16>),
        ("rearrange::f32".to_owned(), planes::<f32>),
        ("rearrange::f64".to_owned(), planes::<f64>),
        ("rearrange::vectors".to_owned(), planes::<[i32; 4]>),
        ("rearrange::of_three".to_owned(), planes::<[u8; 3]>),
        ("rearrange::random".to_owned(), random),
        ("rearrange::functions".to_owned(), functions),
        ("rearrange::many_workgroups".to_owned(), many_workgroups),
        ("rearrange::recorded".to_owned(), recorded),
        ("rearrange::refusals".to_owned(), refusals),
        ("join::parts".to_owned(), parts),
        ("join::refusals".to_owned(), join_refusals),
    ]
}

/// Compares a call with the reference; elements around `y` are unchanged.
fn check<T: Element + Debug>(
    device: &Device,
    shape: &[usize],
    change: &Change,
    fill: T,
    call: Rearrange<'_, T>,
    [before_x, before_y]: [usize; 2],
) -> TestResult {
    let x: Vec<T> = elements(before_x + shape.iter().product::<usize>(), 1);
    let (target, part) = reference::rearrange(&x[before_x..], shape, change, fill);
    let mut wanted: Vec<T> = elements(before_y + part.len() + 7, 2);
    let x = device.buffer_from(&x)?;
    let mut y = device.buffer_from(&wanted)?;
    wanted[before_y..before_y + part.len()].copy_from_slice(&part);
    equal(call.shape()?, target, "the shape")?;
    call.run(x.slice(before_x..), y.slice_mut(before_y..before_y + part.len()))?;
    same(&y.read()?, &wanted, &format!("{shape:?}, {change:?}, {before_x} and {before_y} before"))
}

/// Two axes can be exchanged, for sizes around those of a tile.
fn planes<T: Element + Debug>(device: &Device) -> TestResult {
    let fill = elements::<T>(1, 50)[0];
    for [rows, columns] in [[1, 1], [7, 8], [8, 9], [31, 33], [32, 32], [33, 64], [100, 36], [127, 61], [0, 5]] {
        for before in [[0, 0], [1, 2], [4, 4]] {
            let change = Change::Permute(vec![1, 0]);
            check(device, &[rows, columns], &change, fill, Rearrange::transpose([rows, columns]), before)?;
        }
    }
    for axes in [[0, 2, 1], [2, 0, 1], [2, 1, 0], [1, 0, 2]] {
        let call = Rearrange::permute([5, 33, 12], &axes);
        check(device, &[5, 33, 12], &Change::Permute(axes.to_vec()), fill, call, [0, 0])?;
    }
    let widths = [[2, 0], [1, 4]];
    for (around, mode) in [
        (Around::Constant, Pad::Constant(fill)),
        (Around::Edge, Pad::Edge),
        (Around::Reflect, Pad::Reflect),
        (Around::Symmetric, Pad::Symmetric),
        (Around::Wrap, Pad::Wrap),
    ] {
        for shape in [[3, 4], [1, 1], [17, 5]] {
            let change = Change::Pad(widths.to_vec(), around);
            check(device, &shape, &change, fill, Rearrange::pad(shape, &widths, mode), [3, 1])?;
        }
    }
    // The result consists of padding alone.
    let change = Change::Pad(vec![[2, 3]], Around::Constant);
    check(device, &[0], &change, fill, Rearrange::pad([0], &[[2, 3]], Pad::Constant(fill)), [0, 1])
}

/// A random shape, and a random change of it.
fn any_change() -> impl Strategy<Value = (Vec<usize>, Change)> {
    proptest::collection::vec(0usize..7, 1..5).prop_flat_map(|shape| {
        let rank = shape.len();
        let axes = Just((0..rank).collect::<Vec<usize>>()).prop_shuffle();
        let some = proptest::sample::subsequence((0..rank).collect::<Vec<usize>>(), 0..=rank);
        let place = || proptest::option::of(-9isize..9);
        let step = (1isize..4, any::<bool>()).prop_map(|(step, back)| if back { -step } else { step });
        let around = proptest::sample::select(vec![
            Around::Constant,
            Around::Edge,
            Around::Reflect,
            Around::Symmetric,
            Around::Wrap,
        ]);
        let (has_elements, fixed) = (!shape.contains(&0), shape.clone());
        let change = prop_oneof![
            axes.prop_map(Change::Permute),
            some.prop_map(Change::Flip),
            proptest::collection::vec((0..rank, -9isize..9), 0..4).prop_map(Change::Roll),
            proptest::collection::vec(0usize..4, 1..6).prop_map(Change::Tile),
            proptest::collection::vec(0usize..4, 0..3).prop_map(move |mut to| {
                to.extend(fixed.iter().map(|size| if *size == 1 { 3 } else { *size }));
                Change::Broadcast(to)
            }),
            proptest::collection::vec((place(), place(), step), 0..=rank).prop_map(Change::Part),
            (proptest::collection::vec([0usize..9, 0usize..9], rank), around).prop_map(move |(widths, how)| {
                Change::Pad(widths, if has_elements { how } else { Around::Constant })
            }),
        ];
        (Just(shape), change)
    })
}

fn given((start, end, step): (Option<isize>, Option<isize>, isize)) -> Steps {
    match (start, end) {
        (None, None) => steps(.., step),
        (Some(start), None) => steps(start.., step),
        (None, Some(end)) => steps(..end, step),
        (Some(start), Some(end)) => steps(start..end, step),
    }
}

fn call_of<T: Element>(shape: &[usize], change: &Change, fill: T) -> Rearrange<'static, T> {
    match change {
        Change::Permute(axes) => Rearrange::permute(shape, axes),
        Change::Flip(axes) => Rearrange::flip(shape, axes),
        Change::Roll(shifts) => Rearrange::roll(shape, shifts),
        Change::Tile(repeats) => Rearrange::tile(shape, repeats),
        Change::Broadcast(to) => Rearrange::broadcast(shape, to),
        Change::Part(parts) => Rearrange::part(shape, &parts.iter().map(|part| given(*part)).collect::<Vec<Steps>>()),
        Change::Pad(widths, around) => {
            let mode = match around {
                Around::Constant => Pad::Constant(fill),
                Around::Edge => Pad::Edge,
                Around::Reflect => Pad::Reflect,
                Around::Symmetric => Pad::Symmetric,
                Around::Wrap => Pad::Wrap,
            };
            Rearrange::pad(shape, widths, mode)
        }
    }
}

fn random(device: &Device) -> TestResult {
    fn random_of<T: Element + Debug>(device: &Device) -> TestResult {
        let fill = elements::<T>(1, 50)[0];
        let mut runner = super::runner();
        let outcome = runner.run(&(any_change(), 0usize..5, 0usize..5), |((shape, change), before_x, before_y)| {
            match check(device, &shape, &change, fill, call_of(&shape, &change, fill), [before_x, before_y]) {
                Err(Stop::Fail(message)) => Err(TestCaseError::fail(message)),
                _ => Ok(()),
            }
        });
        let text = || outcome.as_ref().err().map_or_else(String::new, ToString::to_string);
        ensure(outcome.is_ok(), || format!("{}: {}", T::layout().name, text()))
    }
    random_of::<u8>(device)?;
    random_of::<f32>(device)?;
    random_of::<[u16; 3]>(device)
}

/// The plain functions return the results of NumPy's examples.
fn functions(device: &Device) -> TestResult {
    let x = device.buffer_from(&[0u32, 1, 2, 3, 4, 5])?;
    let mut y = device.buffer::<u32>(6)?;
    transpose(&x, &mut y, [2, 3])?;
    same(&y.read()?, &[0, 3, 1, 4, 2, 5], "transpose")?;
    permute(&x, &mut y, [1, 2, 3], &[2, 0, 1])?;
    same(&y.read()?, &[0, 3, 1, 4, 2, 5], "permute")?;
    flip(&x, &mut y, [2, 3], &[0])?;
    same(&y.read()?, &[3, 4, 5, 0, 1, 2], "flip")?;
    roll(&x, &mut y, [2, 3], &[(1, 1)])?;
    same(&y.read()?, &[2, 0, 1, 5, 3, 4], "roll")?;
    tile(x.slice(..3), &mut y, [3], &[2, 1])?;
    same(&y.read()?, &[0, 1, 2, 0, 1, 2], "tile")?;
    broadcast(x.slice(1..3), &mut y, [2, 1], &[2, 3])?;
    same(&y.read()?, &[1, 1, 1, 2, 2, 2], "broadcast")?;
    copy_part(&x, y.slice_mut(..2), [2, 3], &[steps(.., -1), steps(1..2, 1)])?;
    same(&y.read()?[..2], &[4, 1], "copy_part")?;
    pad(x.slice(..2), &mut y, [2], &[[1, 3]], Pad::Edge)?;
    same(&y.read()?, &[0, 0, 1, 1, 1, 1], "pad")
}

fn many_workgroups(device: &Device) -> TestResult {
    let count = 65_536 * 256 + 3;
    let x: Vec<u32> = (0..count as u32).collect();
    let buffer = device.buffer_from(&x)?;
    let mut y = device.buffer::<u32>(count)?;
    flip(&buffer, &mut y, [count], &[0])?;
    let y = y.read()?;
    ensure(y.iter().rev().zip(&x).all(|(got, wanted)| got == wanted), || "reversed".to_owned())
}

fn recorded(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1u16, 2, 3, 4])?;
    let (mut y, mut z) = (device.buffer::<u16>(4)?, device.buffer::<u16>(8)?);
    let mut recording = device.recording();
    Rearrange::flip([4], &[0]).record(&mut recording).run(&x, &mut y)?;
    Join::stack([4], 1).record(&mut recording).run(&[x.slice(..), y.slice(..)], &mut z)?;
    same(&z.read()?, &[0; 8], "before it was submitted")?;
    recording.submit()?;
    same(&z.read()?, &[1, 4, 2, 3, 3, 2, 4, 1], "submitted")?;
    x.copy_from_slice(&[5, 6, 7, 8])?;
    recording.submit()?;
    same(&z.read()?, &[5, 8, 6, 7, 7, 6, 8, 5], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    Rearrange::roll([4], &[(0, 1)]).on(&first).run(&x, &mut y)?;
    Split::new([4, 2], 1).on(&second).run(&z, &mut [x.slice_mut(..), y.slice_mut(..)])?;
    same(&x.read()?, &[5, 6, 7, 8], "on a stream")?;
    same(&y.read()?, &[8, 7, 6, 5], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 6])?;
    let mut y = device.buffer_from(&[5.0f32; 6])?;
    let axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(flip(&x, &mut y, [2, 3], &[2]), axis, &["rearrangement", "axis 2 is out of range", "[2, 3]"])?;
    refused(permute(&x, &mut y, [2, 3], &[1, 1]), axis, &["axis 1 is given twice"])?;
    refused(roll(&x, &mut y, [2, 3], &[(3, 1)]), axis, &["axis 3 is out of range"])?;
    refused(copy_part(&x, &mut y, [6], &[steps(.., 1), steps(.., 1)]), axis, &["axis 1 is out of range"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(permute(&x, &mut y, [2, 3], &[1]), choice, &["a permutation [1]", "each of the 2 axes"])?;
    refused(copy_part(&x, &mut y, [6], &[steps(.., 0)]), choice, &["a step of 0", "use 1 or more"])?;
    refused(pad(&x, &mut y, [2, 3], &[[0, 0]], Pad::Edge), choice, &["a list of widths", "2 axes"])?;
    refused(pad(x.slice(..0), &mut y, [0], &[[3, 3]], Pad::Wrap), choice, &["axis 0 has no element to repeat"])?;
    let far = Rearrange::<u8>::part([3; 9], &[steps(..-1, 1); 9]).cost();
    refused(far, choice, &["9 axes", "at most 8 axes"])?;
    let many = Rearrange::<[u32; 17]>::pad([2], &[[1, 1]], Pad::Constant(std::array::from_fn(|at| at as u32))).cost();
    refused(many, choice, &["a fill value of 68 bytes", "at most 64 bytes"])?;
    let shapes = |error: &OperationError| matches!(error, OperationError::Broadcast { .. });
    refused(broadcast(&x, &mut y, [2, 3], &[3, 3]), shapes, &["[2, 3]", "[3, 3]"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(transpose(&x, &mut y, [2, 4]), length, &["'x' has 6", "needs 8"])?;
    refused(tile(&x, &mut y, [6], &[2]), length, &["'y' has 6", "needs 12"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(transpose(x.slice(2..8), &mut y, [2, 3]), slice, &["'x'", "2..8"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Rearrange::<u8>::tile([1 << 20], &[1 << 20]).cost(), large, &["y", "2147418112"])?;
    refused(Rearrange::<[u32; 2]>::flip([1 << 30], &[0]).cost(), large, &["x", "1073709056"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(transpose(&other.buffer::<f32>(6)?, &mut y, [2, 3]), foreign, &["'x'"])?;
    let stream = Rearrange::transpose([2, 3]).on(&other.stream()).run(&x, &mut y);
    refused(stream, foreign, &["rearrangement", "the stream"])?;
    same(&y.read()?, &[5.0; 6], "nothing has run")
}

fn parts(device: &Device) -> TestResult {
    fn parts_of<T: Element + Debug>(device: &Device) -> TestResult {
        for (outer, lines) in [(1, vec![3, 5]), (5, vec![4, 8, 4]), (7, vec![1, 2, 0, 3]), (33, vec![31])] {
            let parts: Vec<(Vec<T>, usize)> =
                lines.iter().enumerate().map(|(seed, line)| (elements(outer * line, seed), *line)).collect();
            let wanted = join_reference::joined(&parts, outer);
            let width = lines.iter().sum::<usize>();
            let mut buffers = Vec::new();
            for (part, _) in &parts {
                buffers.push(device.buffer_from(&[elements(1, 9), part.clone()].concat())?);
            }
            let slices: Vec<_> = buffers.iter().map(|buffer| buffer.slice(1..)).collect();
            let mut y = device.buffer::<T>(wanted.len() + 3)?;
            concatenate(&slices, y.slice_mut(2..2 + wanted.len()), [outer, width], 1)?;
            same(&y.read()?[2..2 + wanted.len()], &wanted, &format!("{outer} lines of {lines:?}"))?;
            let mut others = Vec::new();
            for (part, _) in &parts {
                others.push(device.buffer::<T>(part.len())?);
            }
            let mut slices: Vec<_> = others.iter_mut().map(|buffer| buffer.slice_mut(..)).collect();
            split(y.slice(2..2 + wanted.len()), &mut slices, [outer, width], 1)?;
            for (other, (part, _)) in others.iter().zip(&parts) {
                same(&other.read()?, part, &format!("split into {lines:?}"))?;
            }
        }
        let (a, b) = (elements::<T>(12, 1), elements::<T>(12, 2));
        let buffers = [device.buffer_from(&a)?, device.buffer_from(&b)?];
        let slices = [buffers[0].slice(..), buffers[1].slice(..)];
        let mut y = device.buffer::<T>(24)?;
        for (axis, line) in [(0, 12), (1, 4), (2, 1)] {
            stack(&slices, &mut y, [3, 4], axis)?;
            let wanted = join_reference::joined(&[(a.clone(), line), (b.clone(), line)], 12 / line);
            same(&y.read()?, &wanted, &format!("stacked along {axis}"))?;
        }
        Ok(())
    }
    parts_of::<u8>(device)?;
    parts_of::<u16>(device)?;
    parts_of::<f32>(device)?;
    parts_of::<[f32; 4]>(device)?;
    parts_of::<[u8; 3]>(device)
}

fn join_refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1u32; 6])?;
    let mut y = device.buffer_from(&[5u32; 6])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let odd = concatenate(&[x.slice(..5), x.slice(5..)], &mut y, [2, 3], 1);
    refused(odd, choice, &["join", "[5, 1]", "multiples of 2", "the sum 6"])?;
    refused(concatenate(&[x.slice(..4)], &mut y, [2, 3], 1), choice, &["[4]", "the sum 6"])?;
    let axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(concatenate(&[x.slice(..)], &mut y, [2, 3], 2), axis, &["axis 2 is out of range"])?;
    refused(stack(&[x.slice(..)], &mut y, [6], 2), axis, &["axis 2 is out of range"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(stack(&[x.slice(..3), x.slice(..2)], &mut y, [3], 0), length, &["'a part' has 2", "needs 3"])?;
    refused(stack(&[x.slice(..), x.slice(..)], &mut y, [6], 0), length, &["'y' has 6", "needs 12"])?;
    let mut z = device.buffer::<u32>(4)?;
    refused(split(&x, &mut [z.slice_mut(..)], [2, 3], 1), choice, &["split", "[4]", "the sum 6"])?;
    same(&y.read()?, &[5; 6], "nothing has run")
}

/// A checked device finds no race and no access out of range.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    fn moved<T: Element + Debug>(device: &Device) -> TestResult {
        let fill = elements::<T>(1, 3)[0];
        for change in [
            Change::Permute(vec![1, 0]),
            Change::Roll(vec![(1, 5)]),
            Change::Pad(vec![[1, 2], [3, 0]], Around::Constant),
            Change::Part(vec![(None, None, -2), (Some(1), None, 3)]),
        ] {
            check(device, &[45, 37], &change, fill, call_of(&[45, 37], &change, fill), [1, 3])?;
        }
        Ok(())
    }
    moved::<u8>(&device)?;
    moved::<f32>(&device)?;
    moved::<u64>(&device)?;
    parts(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
