//! Selections and scatters by indices: every element and index type, compared with the references.

use std::cmp::Ordering;
use std::fmt::Debug;

use anywarp::ops::{
    IndexElement, OperationError, Scatter, ScatterElement, Take, gather, scatter, scatter_add, take, take_along_axis,
};
use anywarp::{Device, Element};
use half::{bf16, f16};
use proptest::prelude::*;

use super::elements;
use crate::Case;
use crate::outcome::{Stop, TestResult, ensure, refused, same, skip};

#[path = "../../../src/ops/take/reference.rs"]
mod reference;

#[path = "../../../src/ops/scatter/reference.rs"]
pub(super) mod scatter_reference;

use reference::Outside;

pub(super) fn cases() -> Vec<Case> {
    vec![
        ("take::u8".to_owned(), rows::<u8>),
        ("take::u16".to_owned(), rows::<u16>),
        ("take::f32".to_owned(), rows::<f32>),
        ("take::f64".to_owned(), rows::<f64>),
        ("take::vectors".to_owned(), rows::<[f32; 4]>),
        ("take::of_three".to_owned(), rows::<[u8; 3]>),
        ("take::index_types".to_owned(), index_types),
        ("take::fill_values".to_owned(), fill_values),
        ("take::random".to_owned(), random),
        ("take::lengths".to_owned(), lengths),
        ("take::recorded".to_owned(), recorded),
        ("take::refusals".to_owned(), refusals),
        ("scatter::lengths".to_owned(), many_duplicates),
        ("scatter::floats".to_owned(), floats),
        ("scatter::ordered".to_owned(), ordered),
        ("scatter::refusals".to_owned(), scatter_refusals),
    ]
}

/// A call: the shape of an array and an axis, the indices and whether all lines share them, and the rule for indices
/// outside the axis.
struct Call<'c> {
    shape: &'c [usize],
    axis: usize,
    shared: bool,
    indices: &'c [i32],
    outside: Outside,
}

impl Call<'_> {
    fn places(&self) -> Vec<Option<usize>> {
        let (inner, outer) = (self.shape[self.axis + 1..].iter().product(), self.shape[..self.axis].iter().product());
        let wide: Vec<i128> = self.indices.iter().map(|index| i128::from(*index)).collect();
        reference::places([outer, self.shape[self.axis], inner], &wide, self.shared, self.outside)
    }

    /// Compares a selection and a scatter with the references; elements around `y` are unchanged.
    fn check<T: Element + Debug>(&self, device: &Device, [before_x, before_y]: [usize; 2]) -> TestResult {
        let Self { shape, axis, shared, indices, outside } = *self;
        let places = self.places();
        let what = format!("{shape:?}, axis {axis}, {indices:?}, {outside:?}, {before_x} and {before_y} before");
        let fill = elements::<T>(1, 77)[0];
        let count: usize = shape.iter().product();
        let x: Vec<T> = elements(before_x + count, 1);
        let around: Vec<T> = elements(before_y + places.len() + 5, 2);
        let mut wanted = around.clone();
        for (y, place) in wanted[before_y..].iter_mut().zip(&places) {
            *y = place.map_or(fill, |at| x[before_x + at]);
        }
        let (buffer, chosen) = (device.buffer_from(&x)?, device.buffer_from(indices)?);
        let mut y = device.buffer_from(&around)?;
        let call = if shared { Take::new(shape, axis) } else { Take::along(shape, axis) };
        let call = match outside {
            Outside::Nowhere => call.fill(fill),
            Outside::Clip => call.clip(),
            Outside::Wrap => call.wrap(),
        };
        call.run(buffer.slice(before_x..), &chosen, y.slice_mut(before_y..before_y + places.len()))?;
        same(&y.read()?, &wanted, &format!("take: {what}"))?;

        let mut wanted = x.clone();
        scatter_reference::scatter(&mut wanted[before_x..], &around[before_y..], &places, |_, x| x);
        let (mut target, source) = (buffer, device.buffer_from(&around)?);
        let call = if shared { Scatter::new(shape, axis) } else { Scatter::new(shape, axis).along() };
        let call = match outside {
            Outside::Nowhere => call,
            Outside::Clip => call.clip(),
            Outside::Wrap => call.wrap(),
        };
        call.set(source.slice(before_y..before_y + places.len()), &chosen, target.slice_mut(before_x..))?;
        same(&target.read()?, &wanted, &format!("scatter: {what}"))
    }
}

const INDICES: [i32; 8] = [2, 0, -1, 2, 9, -10, i32::MAX, i32::MIN];
const MODES: [Outside; 3] = [Outside::Nowhere, Outside::Clip, Outside::Wrap];

fn rows<T: Element + Debug>(device: &Device) -> TestResult {
    for shape in [[3, 4, 5], [2, 3, 16]] {
        for axis in 0..3 {
            for shared in [true, false] {
                let around: usize = shape.iter().product::<usize>() / shape[axis];
                let indices = if shared { INDICES.to_vec() } else { INDICES.repeat(around) };
                for outside in MODES {
                    let call = Call { shape: &shape, axis, shared, indices: &indices, outside };
                    call.check::<T>(device, [0, 0])?;
                    call.check::<T>(device, [1, 3])?;
                }
            }
        }
    }
    Ok(())
}

fn any_call() -> impl Strategy<Value = (Vec<usize>, usize, bool, Vec<i32>, usize)> {
    (proptest::collection::vec(1usize..6, 1..4), any::<bool>(), 0usize..3).prop_flat_map(|(shape, shared, mode)| {
        (Just(shape.clone()), 0..shape.len(), Just(shared), 0usize..5, Just(mode)).prop_flat_map(
            |(shape, axis, shared, lines, mode)| {
                let around: usize = shape.iter().product::<usize>() / shape[axis];
                let count = if shared { lines } else { lines * around };
                (Just(shape), Just(axis), Just(shared), proptest::collection::vec(-9i32..9, count), Just(mode))
            },
        )
    })
}

fn random(device: &Device) -> TestResult {
    fn random_of<T: Element + Debug>(device: &Device) -> TestResult {
        let mut runner = super::runner();
        let strategy = (any_call(), 0usize..5, 0usize..5);
        let outcome = runner.run(&strategy, |((shape, axis, shared, indices, mode), before_x, before_y)| {
            let call = Call { shape: &shape, axis, shared, indices: &indices, outside: MODES[mode] };
            match call.check::<T>(device, [before_x, before_y]) {
                Err(Stop::Fail(message)) => Err(TestCaseError::fail(message)),
                _ => Ok(()),
            }
        });
        let text = || outcome.as_ref().err().map_or_else(String::new, ToString::to_string);
        ensure(outcome.is_ok(), || format!("{}: {}", T::layout().name, text()))
    }
    random_of::<u8>(device)?;
    random_of::<u32>(device)
}

fn index_types(device: &Device) -> TestResult {
    fn taken<I: IndexElement>(device: &Device, indices: &[I], wanted: [&[u32]; 3]) -> TestResult {
        let (x, indices) = (device.buffer_from(&[10u32, 20, 30])?, device.buffer_from(indices)?);
        let mut y = device.buffer::<u32>(wanted[0].len())?;
        Take::new([3], 0).fill(0).run(&x, &indices, &mut y)?;
        same(&y.read()?, wanted[0], "filled")?;
        Take::new([3], 0).clip().run(&x, &indices, &mut y)?;
        same(&y.read()?, wanted[1], "clipped")?;
        Take::new([3], 0).wrap().run(&x, &indices, &mut y)?;
        same(&y.read()?, wanted[2], "wrapped")
    }
    // 2^32 - 1 and 2^64 - 1 are multiples of 3.
    taken(device, &[2u32, 3, u32::MAX], [&[30, 0, 0], &[30, 30, 30], &[30, 10, 10]])?;
    taken(device, &[2i32, -3, -4, i32::MIN], [&[30, 10, 0, 0], &[30, 10, 10, 10], &[30, 10, 30, 20]])?;
    let long = [1u64, 1 << 32, (1 << 33) + 1, u64::MAX];
    taken(device, &long, [&[20, 0, 0, 0], &[20, 30, 30, 30], &[20, 20, 10, 10]])?;
    let long = [-1i64, -(1 << 32), 1 << 40, i64::MIN];
    taken(device, &long, [&[30, 0, 0, 0], &[10, 10, 30, 10], &[30, 30, 20, 20]])
}

/// Indices outside select JAX's fill values, or keep the elements of `y`.
fn fill_values(device: &Device) -> TestResult {
    fn filled<T: Element + Debug>(device: &Device, wanted: impl Fn(T) -> bool) -> TestResult {
        let (x, indices) = (device.buffer_from(&[T::zeroed()])?, device.buffer_from(&[1u32])?);
        let mut y = device.buffer::<T>(1)?;
        gather(&x, &indices, &mut y)?;
        let got = y.read()?[0];
        ensure(wanted(got), || format!("{got:?} of {}", T::layout().name))
    }
    filled::<f32>(device, f32::is_nan)?;
    filled::<f64>(device, f64::is_nan)?;
    filled::<f16>(device, f16::is_nan)?;
    filled::<bf16>(device, bf16::is_nan)?;
    filled::<u8>(device, |got| got == u8::MAX)?;
    filled::<i16>(device, |got| got == i16::MIN)?;
    filled::<i64>(device, |got| got == i64::MIN)?;
    filled::<[u32; 2]>(device, |got| got == [0, 0])?;
    let (x, indices) = (device.buffer_from(&[7u8])?, device.buffer_from(&[1u32, 0, 2])?);
    let mut y = device.buffer_from(&[1u8, 2, 3])?;
    Take::new([1], 0).keep().run(&x, &indices, &mut y)?;
    same(&y.read()?, &[1, 7, 3], "kept")
}

/// Selections are right for lengths around a workgroup, and for more than 65,535 workgroups.
fn lengths(device: &Device) -> TestResult {
    let x: Vec<u32> = elements(1000, 4);
    let buffer = device.buffer_from(&x)?;
    for count in [0, 1, 2, 255, 256, 257, 9_973, 65_536 * 256 + 3] {
        let indices: Vec<u32> = (0..count as u32).map(|at| at.wrapping_mul(0x9e37_79b9) % 1000).collect();
        let (chosen, mut y) = (device.buffer_from(&indices)?, device.buffer::<u32>(count)?);
        gather(&buffer, &chosen, &mut y)?;
        let y = y.read()?;
        let equal = y.iter().zip(&indices).all(|(got, at)| *got == x[*at as usize]);
        ensure(equal, || format!("{count} indices"))?;
    }
    Ok(())
}

fn recorded(device: &Device) -> TestResult {
    let (x, mut indices) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[2u32, 2, 0])?);
    let (mut y, mut z) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
    let mut recording = device.recording();
    Take::new([3], 0).record(&mut recording).run(&x, &indices, &mut y)?;
    Scatter::new([3], 0).ordered().record(&mut recording).add(&y, &indices, &mut z)?;
    Scatter::new([3], 0).record(&mut recording).set(x.slice(..1), indices.slice(..1), &mut y)?;
    same(&y.read()?, &[0.0; 3], "before it was submitted")?;
    recording.submit()?;
    same(&z.read()?, &[1.0, 0.0, 6.0], "submitted")?;
    same(&y.read()?, &[3.0, 3.0, 1.0], "submitted")?;
    indices.fill(1)?;
    recording.submit()?;
    same(&z.read()?, &[1.0, 6.0, 6.0], "submitted again")?;
    let (first, second) = (device.stream(), device.stream());
    Take::new([3], 0).on(&first).run(&x, &indices, &mut y)?;
    Scatter::new([3], 0).on(&second).multiply(&x, &indices, &mut z)?;
    same(&y.read()?, &[2.0; 3], "on a stream")?;
    same(&z.read()?, &[1.0, 36.0, 6.0], "on another")
}

fn refusals(device: &Device) -> TestResult {
    let (x, indices) = (device.buffer_from(&[1.0f32; 6])?, device.buffer_from(&[0u32; 4])?);
    let mut y = device.buffer_from(&[5.0f32; 4])?;
    let axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(take(&x, &indices, &mut y, [2, 3], 2), axis, &["take", "axis 2 is out of range"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(take(&x, &indices, &mut y, [2, 3], 1), length, &["'y' has 4", "needs 8"])?;
    refused(take(&x, &indices, &mut y, [2, 4], 0), length, &["'x' has 6", "needs 8"])?;
    let uneven = take_along_axis(&x, indices.slice(..3), y.slice_mut(..3), [2, 3], 1);
    refused(uneven, length, &["'indices' has 3", "needs 2"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let empty = Take::new([0], 0).clip().run(x.slice(..0), &indices, &mut y);
    refused(empty, choice, &["an axis of 0 positions", "use a fill value"])?;
    let slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(gather(&x, indices.slice(3..5), &mut y), slice, &["'indices'", "3..5"])?;
    let large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Take::<f32>::new([1 << 20, 4096], 0).cost::<u32>(1), large, &["x", "2147418112"])?;
    refused(Take::<f32>::new([1, 1 << 20], 0).cost::<u32>(1 << 20), large, &["the selected elements"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(gather(&x, &other.buffer::<u32>(4)?, &mut y), foreign, &["'indices'"])?;
    same(&y.read()?, &[5.0; 4], "nothing has run")
}

/// Sums are right for many elements at few positions, and for few elements at many positions.
fn many_duplicates(device: &Device) -> TestResult {
    fn summed<T: ScatterElement + Debug>(device: &Device, one: T, number: fn(u32) -> T) -> TestResult {
        for (count, places) in [(0, 3), (1, 1), (257, 2), (20_011, 1), (20_011, 1009)] {
            let indices: Vec<u32> = (0..count as u32).map(|at| at * 7 % places).collect();
            let (x, chosen) = (device.buffer_from(&vec![one; count])?, device.buffer_from(&indices)?);
            let mut y = device.buffer_from(&vec![one; places as usize])?;
            scatter_add(&x, &chosen, &mut y)?;
            let mut counts = vec![1u32; places as usize];
            indices.iter().for_each(|at| counts[*at as usize] += 1);
            let wanted: Vec<T> = counts.into_iter().map(number).collect();
            same(&y.read()?, &wanted, &format!("{count} elements at {places} places"))?;
            scatter(&x, &chosen, &mut y)?;
            let kept = |at: usize| if indices.contains(&(at as u32)) { one } else { wanted[at] };
            let wanted: Vec<T> = (0..places as usize).map(kept).collect();
            same(&y.read()?, &wanted, &format!("{count} elements set at {places} places"))?;
        }
        Ok(())
    }
    summed(device, 1u32, |count| count)?;
    summed(device, -1i32, |count| -(count as i32))?;
    summed(device, 0.5f32, |count| count as f32 / 2.0)
}

/// NaN is the greatest and the least number, and the negative zero is below the positive zero.
fn floats(device: &Device) -> TestResult {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let values = [nan, -nan, inf, -inf, 0.0, -0.0, 1e-45, -1e-45, 3.0, f32::MIN];
    // The element of the two that `is_better` orders first; NaN wins.
    let better = |a: f32, b: f32, is_better: fn(Ordering) -> bool| {
        if a.is_nan() || b.is_nan() {
            nan
        } else if is_better(a.total_cmp(&b)) {
            a
        } else {
            b
        }
    };
    let indices: Vec<u32> = (0..100).map(|at| at / 10).collect();
    let x: Vec<f32> = (0..100).map(|at| values[at % 10]).collect();
    let (chosen, source) = (device.buffer_from(&indices)?, device.buffer_from(&x)?);
    // The only element of `y` receives all values from `first` on.
    for first in 0..10 {
        let own = &values[first..];
        let (mut most, mut least) = (device.buffer_from(&[own[0]])?, device.buffer_from(&[own[0]])?);
        let (part, zeros) = (source.slice(first..10), device.buffer_from(&vec![0u32; own.len()])?);
        Scatter::new([1], 0).max(part, &zeros, &mut most)?;
        Scatter::new([1], 0).min(part, &zeros, &mut least)?;
        let wanted = own.iter().copied().fold(own[0], |a, b| better(a, b, Ordering::is_ge));
        same(&most.read()?, &[wanted], "the greatest")?;
        let wanted = own.iter().copied().fold(own[0], |a, b| better(a, b, Ordering::is_le));
        same(&least.read()?, &[wanted], "the least")?;
    }
    let mut y = device.buffer_from(&[2.0f32; 10])?;
    Scatter::new([10], 0).multiply(source.slice(80..), chosen.slice(80..), &mut y)?;
    let y = y.read()?;
    ensure(y[..8] == [2.0; 8] && y[8].is_nan() && y[9].is_nan(), || format!("{y:?}"))
}

/// Ordered sums have the same bits at each call.
fn ordered(device: &Device) -> TestResult {
    let x: Vec<f32> = (0..30_011u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 8) as f32 * 1e-3 - 7000.0).collect();
    let indices: Vec<u32> = (0..30_011u32).map(|at| at.wrapping_mul(0x85eb_ca6b) % 37).collect();
    let (source, chosen) = (device.buffer_from(&x)?, device.buffer_from(&indices)?);
    let mut sums = [0f64; 37];
    x.iter().zip(&indices).for_each(|(x, at)| sums[*at as usize] += f64::from(*x));
    let mut first: Option<Vec<f32>> = None;
    for _ in 0..3 {
        let mut y = device.buffer_from(&[0.0f32; 37])?;
        Scatter::new([37], 0).ordered().add(&source, &chosen, &mut y)?;
        let y = y.read()?.to_vec();
        for (got, wanted) in y.iter().zip(&sums) {
            ensure((f64::from(*got) - wanted).abs() < 1.0, || format!("{got} in place of {wanted}"))?;
        }
        same(first.get_or_insert_with(|| y.clone()), &y, "another call")?;
    }
    Ok(())
}

fn scatter_refusals(device: &Device) -> TestResult {
    let (x, indices) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[0u32; 4])?);
    let mut y = device.buffer_from(&[5.0f32; 6])?;
    let axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    let far = Scatter::new([2, 3], 2).set(&x, &indices, &mut y);
    refused(far, axis, &["scatter", "axis 2 is out of range"])?;
    let length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(scatter_add(x.slice(..3), &indices, &mut y), length, &["'x' has 3", "needs 4"])?;
    refused(Scatter::new([2, 4], 1).add(&x, &indices, &mut y), length, &["'x' has 4", "needs 8"])?;
    refused(Scatter::new([7], 0).add(&x, &indices, &mut y), length, &["'y' has 6", "needs 7"])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let empty = Scatter::new([0], 0).wrap().set(&x, &indices, y.slice_mut(..0));
    refused(empty, choice, &["an axis of 0 positions"])?;
    let other = device.reopen()?;
    let foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(scatter(&x, &other.buffer::<u32>(4)?, &mut y), foreign, &["'indices'"])?;
    same(&y.read()?, &[5.0; 6], "nothing has run")
}

/// A checked device finds no race and no access out of range.
pub(super) fn clean() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    rows::<u8>(&device)?;
    rows::<f64>(&device)?;
    floats(&device)?;
    recorded(&device)?;
    let findings = device.findings();
    ensure(findings.iter().next().is_none(), || findings.to_string())
}
