//! Softmax and its logarithm.

use anywarp::ops::{OperationError, Softmax, log_softmax, log_softmax_backward, softmax, softmax_backward};
use anywarp::{Device, Error, ErrorClass};
use half::{bf16, f16};

use super::{Float, close, close_between_nines, numbers, same_again, wide};
use crate::Unnamed;
use crate::outcome::{TestResult, ensure, equal, refused, same, skip};

#[path = "../../../src/ops/softmax/reference.rs"]
mod reference;

pub(super) fn cases() -> Vec<Unnamed> {
    vec![
        ("softmax::f32", shapes::<f32>),
        ("softmax::f16", shapes::<f16>),
        ("softmax::bf16", shapes::<bf16>),
        ("softmax::long", long),
        ("softmax::many_rows", many_rows),
        ("softmax::infinities", infinities),
        ("softmax::slices::f32", slices::<f32>),
        ("softmax::slices::f16", slices::<f16>),
        ("softmax::slices::bf16", slices::<bf16>),
        ("softmax::same_bits", same_bits),
        ("softmax::recorded", recorded),
        ("softmax::streams", streams),
        ("softmax::after_the_host", after_the_host),
        ("softmax::refusals", refusals),
        ("softmax_backward::f32", derivatives::<f32>),
        ("softmax_backward::f16", derivatives::<f16>),
        ("softmax_backward::bf16", derivatives::<bf16>),
        ("softmax_backward::recorded", derivatives_recorded),
        ("softmax_backward::refusals", derivatives_refused),
    ]
}

/// The tolerance for exponents of up to 16 with half a unit in the last place, and for the sum.
const TOLERANCE: [f64; 2] = [4e-6, 1e-20];
const LOGARITHMS: [f64; 2] = [1e-6, 4e-6];

fn along(logarithm: bool, shape: &[usize], axis: usize) -> Softmax<'static> {
    let softmax = Softmax::new(shape, axis);
    if logarithm { softmax.logarithm() } else { softmax }
}

/// The number of outer rows, the number of elements in a row, and the distance between these elements.
fn lines(shape: &[usize], axis: usize) -> [usize; 3] {
    [shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()]
}

fn check<T: Float>(device: &Device, shape: &[usize], axis: usize) -> TestResult {
    let x: Vec<T> = numbers(shape.iter().product(), 1);
    let input = device.buffer_from(&x)?;
    for logarithm in [false, true] {
        let mut y = device.buffer::<T>(x.len())?;
        along(logarithm, shape, axis).run(&input, &mut y)?;
        let wanted = reference::softmax(&wide(&x), lines(shape, axis), logarithm);
        let what = format!("{shape:?}, axis {axis}, logarithm {logarithm}");
        close(&y.read()?, &wanted, if logarithm { LOGARITHMS } else { TOLERANCE }, &what)?;
    }
    Ok(())
}

/// Softmax is right along axes of different sizes, without elements, and for rows around each width of a team.
fn shapes<T: Float>(device: &Device) -> TestResult {
    for shape in
        [vec![0], vec![1], vec![3, 0], vec![0, 5], vec![6, 5, 7], vec![2, 40, 3, 2], vec![300, 10], vec![4, 64]]
    {
        (0..shape.len()).try_for_each(|axis| check::<T>(device, &shape, axis))?;
    }
    for length in [2, 3, 4, 5, 16, 31, 32, 33, 127, 128, 129, 257, 1000, 1024, 1025, 2048, 2049, 4096, 4100] {
        check::<T>(device, &[3, length], 1)?;
    }
    Ok(())
}

/// Softmax is right for rows that do not fit into registers, and for rows that are computed in parts.
fn long(device: &Device) -> TestResult {
    check::<f32>(device, &[2, 8192], 1)?;
    check::<f32>(device, &[2, 8196], 1)?;
    check::<f32>(device, &[1, 70_001], 1)?;
    check::<f16>(device, &[2, 40_000], 1)?;
    check::<bf16>(device, &[1, 33_333], 1)?;
    check::<f32>(device, &[9001, 3], 0)?;
    check::<f32>(device, &[1, 300_000], 1)
}

/// Results are right for more workgroups than one dimension of a grid has.
fn many_rows(device: &Device) -> TestResult {
    for (rows, length) in [(70_001, 2), (66_000, 40)] {
        let x: Vec<f32> = (0..rows * length).map(|at| (at / length % 7) as f32).collect();
        let mut y = device.buffer::<f32>(x.len())?;
        softmax(&device.buffer_from(&x)?, &mut y, [rows, length], 1)?;
        let even = 1.0 / length as f32;
        let wrong = y.read()?.iter().position(|y| (y - even).abs() > 1e-6 * even);
        ensure(wrong.is_none(), || format!("{rows} rows of {length}: element {wrong:?}"))?;
    }
    Ok(())
}

fn infinities(device: &Device) -> TestResult {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for length in [5, 64, 3000, 9001] {
        let mut x = numbers::<f32>(7 * length, 2);
        (x[length - 1], x[length], x[3 * length - 1], x[3 * length + 1]) = (-inf, nan, inf, -nan);
        x[4 * length..5 * length].fill(-inf);
        (x[5 * length], x[5 * length + 1]) = (inf, -inf);
        (x[6 * length], x[6 * length + 1]) = (f32::MAX, f32::MIN);
        let input = device.buffer_from(&x)?;
        for logarithm in [false, true] {
            let mut y = device.buffer::<f32>(x.len())?;
            along(logarithm, &[7, length], 1).run(&input, &mut y)?;
            let mut wanted = reference::softmax(&wide(&x), [7, length, 1], logarithm);
            if logarithm {
                // The difference of the two elements is infinite in `f32`.
                wanted[6 * length + 1] = f64::NEG_INFINITY;
            }
            let what = format!("rows of {length}, logarithm {logarithm}");
            close(&y.read()?, &wanted, if logarithm { LOGARITHMS } else { TOLERANCE }, &what)?;
        }
    }
    Ok(())
}

fn slices<T: Float>(device: &Device) -> TestResult {
    let all: Vec<T> = numbers(9000, 3);
    let x = device.buffer_from(&all)?;
    for (begin, to, shape, axis) in [
        (1, 3, [3, 5], 1),
        (3, 4, [7, 64], 1),
        (64, 65, [2, 3000], 1),
        (130, 9, [20, 7], 0),
        (4, 4, [5, 100], 1),
        (2, 1, [999, 2], 1),
    ] {
        let length = shape[0] * shape[1];
        let nine = T::of(9.0);
        let mut y = device.buffer_from(&[nine; 7000])?;
        softmax(x.slice(begin..begin + length), y.slice_mut(to..to + length), shape, axis)?;
        let wanted = reference::softmax(&wide(&all[begin..begin + length]), lines(&shape, axis), false);
        close_between_nines(&y.read()?, to, &wanted, TOLERANCE, &format!("{shape:?} from {begin} to {to}"))?;
    }
    Ok(())
}

fn same_bits(device: &Device) -> TestResult {
    for shape in [[30, 1000], [1, 40_000]] {
        let x = device.buffer_from(&numbers::<f32>(shape[0] * shape[1], 4))?;
        same_again(device, x.len(), &format!("{shape:?}"), |y| softmax(&x, y, shape, 1))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (mut x, mut y) = (device.buffer_from(&[0.0f32; 8])?, device.buffer::<f32>(8)?);
    let mut recording = device.recording();
    Softmax::new([2, 4], 1).record(&mut recording).run(&x, &mut y)?;
    same(&y.read()?, &[0.0; 8], "before it was submitted")?;
    recording.submit()?;
    same(&y.read()?, &[0.25; 8], "submitted")?;
    let inf = f32::NEG_INFINITY;
    x.copy_from_slice(&[1.0, inf, inf, 1.0, inf, inf, inf, 3.0])?;
    recording.submit()?;
    same(&y.read()?, &[0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0], "submitted again")
}

fn streams(device: &Device) -> TestResult {
    let (first, second) = (device.stream(), device.stream());
    let x = device.buffer_from(&[2.0f32; 4000])?;
    let (mut y, mut z) = (device.buffer::<f32>(4000)?, device.buffer::<f32>(4000)?);
    for _ in 0..4 {
        Softmax::new([1000, 4], 1).on(&first).run(&x, &mut y)?;
        Softmax::new([1000, 4], 0).on(&second).run(&x, &mut z)?;
    }
    same(&y.read()?, &[0.25; 4000], "on one stream")?;
    close(&z.read()?, &[0.001; 4000], TOLERANCE, "on another")
}

fn after_the_host(device: &Device) -> TestResult {
    let mut x = device.buffer_from(&[1.0f32; 4])?;
    x.write()?.fill(3.0);
    let mut y = device.buffer::<f32>(4)?;
    log_softmax(&x, &mut y, [1, 4], 1)?;
    close(&y.read()?, &[-(4f64.ln()); 4], LOGARITHMS, "after a write of the host")
}

fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(softmax(&x, &mut y, [2, 4], 1), is_length, &["softmax: 'x' has 6 elements", "[2, 4] needs 8"])?;
    refused(softmax(&x, y.slice_mut(1..), [2, 3], 1), is_length, &["softmax: 'y' has 5 elements", "needs 6"])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(log_softmax(&x, &mut y, [2, 3], 2), is_axis, &["softmax: axis 2 is out of range", "[2, 3]"])?;
    let is_slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(softmax(x.slice(4..10), &mut y, [6], 0), is_slice, &["softmax: 'x'", "4..10"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Softmax::new([1 << 20, 1 << 20], 0).cost::<f32>(device), is_large, &["softmax: x", "1048576"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(softmax(&other.buffer::<f32>(6)?, &mut y, [6], 0), is_foreign, &["softmax", "'x'"])?;
    refused(Softmax::new([6], 0).on(&other.stream()).run(&x, &mut y), is_foreign, &["softmax", "the stream"])?;
    let guard = x.read()?;
    let is_in_use = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    refused(softmax(&x, &mut y, [6], 0), is_in_use, &["softmax: 'x' is in use"])?;
    drop(guard);
    let class = Error::from(softmax(&x, &mut y, [5], 0).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&y.read()?, &[7.0; 6], "nothing has run")
}

fn check_backward<T: Float>(device: &Device, shape: &[usize], axis: usize) -> TestResult {
    let length = shape.iter().product();
    let (x, dy): (Vec<f64>, Vec<T>) = (wide(&numbers::<T>(length, 8)), numbers(length, 9));
    for logarithm in [false, true] {
        let lines = lines(shape, axis);
        let y: Vec<T> = reference::softmax(&x, lines, logarithm).into_iter().map(T::of).collect();
        let mut dx = device.buffer::<T>(length + 1)?;
        let (results, derivatives) = (device.buffer_from(&y)?, device.buffer_from(&dy)?);
        along(logarithm, shape, axis).backward(&results, &derivatives, dx.slice_mut(1..))?;
        let wanted = reference::backward(&wide(&y), &wide(&dy), lines, logarithm);
        // The tolerance is for a sum of derivatives of up to 8.
        let tolerance = [1e-4, if logarithm { 1e-3 } else { 1e-6 }];
        close(&dx.read()?[1..], &wanted, tolerance, &format!("{shape:?}, axis {axis}, logarithm {logarithm}"))?;
    }
    Ok(())
}

fn derivatives<T: Float>(device: &Device) -> TestResult {
    for shape in [vec![0], vec![3, 0], vec![6, 5, 7], vec![300, 10], vec![3, 33], vec![2, 4096], vec![2, 9001]] {
        (0..shape.len()).try_for_each(|axis| check_backward::<T>(device, &shape, axis))?;
    }
    Ok(())
}

fn derivatives_recorded(device: &Device) -> TestResult {
    let (y, mut dy) = (device.buffer_from(&[0.5f32; 2])?, device.buffer_from(&[1.0f32, 3.0])?);
    let mut dx = device.buffer::<f32>(2)?;
    let mut recording = device.recording();
    Softmax::new([2], 0).record(&mut recording).backward(&y, &dy, &mut dx)?;
    recording.submit()?;
    same(&dx.read()?, &[-0.5, 0.5], "submitted")?;
    dy.copy_from_slice(&[8.0, 0.0])?;
    recording.submit()?;
    same(&dx.read()?, &[2.0, -2.0], "submitted again")
}

fn derivatives_refused(device: &Device) -> TestResult {
    let x = device.buffer_from(&[1.0f32; 6])?;
    let mut dx = device.buffer_from(&[7.0f32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(softmax_backward(&x, x.slice(1..), &mut dx, [6], 0), is_length, &["softmax: 'dy' has 5 elements"])?;
    refused(log_softmax_backward(&x, &x, dx.slice_mut(1..), [6], 0), is_length, &["softmax: 'dx' has 5 elements"])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(softmax_backward(&x, &x, &mut dx, [6], 1), is_axis, &["softmax: axis 1"])?;
    same(&dx.read()?, &[7.0; 6], "nothing has run")
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for (shape, axis) in [([3, 5], 1), ([3, 100], 1), ([2, 9000], 1), ([50, 9], 0)] {
        check::<f32>(&device, &shape, axis)?;
        check::<f16>(&device, &shape, axis)?;
        check_backward::<f32>(&device, &shape, axis)?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{shape:?}:\n{findings}"))?;
    }
    Ok(())
}
