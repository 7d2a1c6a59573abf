//! Views with strides, compared with the reference: chosen views, and views with random shapes, strides and offsets.

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, OperationError, ReductionKernel, shaped};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::Case;
use crate::outcome::{TestResult, fail, refused, same};
use crate::reduction::sum_of_views;
use crate::whole_numbers::{known, of, whole};
use reference::View;

#[path = "../../../src/ops/operation/reference.rs"]
mod reference;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("views::transposed".to_owned(), transposed),
        ("views::transposed_f16".to_owned(), of_halves),
        ("views::windows_and_repeats".to_owned(), windows),
        ("views::parts_of_an_output".to_owned(), parts),
        ("views::in_place".to_owned(), in_place),
        ("views::reduced".to_owned(), reduced),
        ("views::random_operations".to_owned(), random_operations),
        ("views::random_reductions".to_owned(), random_reductions),
        ("views::refusals".to_owned(), refusals),
    ]
}

fn copy() -> TestResult<ElementwiseKernel> {
    Ok(ElementwiseKernel::new("x: T", "y: T", "y = x")?.name("copy"))
}

fn transposed(device: &Device) -> TestResult {
    let kernel = copy()?;
    for [rows, columns] in [[1, 1], [1, 7], [7, 1], [3, 5], [63, 65], [256, 128]] {
        let values = whole(rows * columns, 1);
        let view = View { elements: &values, shape: &[columns, rows], strides: &[1, columns] };
        let wanted = reference::elementwise(&[columns, rows], &[view], |x, _, _| x[0]);
        let x = device.buffer_from(&values)?;
        let y = kernel.apply::<i32>(device, shaped(&x, [columns, rows]).strides([1, columns]))?;
        same(&y.read()?, &wanted, &format!("{rows} x {columns}, read by columns"))?;
        let mut y = device.buffer::<i32>(rows * columns)?;
        kernel.run(device, shaped(&x, [rows, columns]), shaped(&mut y, [rows, columns]).strides([1, rows]))?;
        same(&y.read()?, &wanted, &format!("{rows} x {columns}, written by columns"))?;
    }
    Ok(())
}

fn of_halves(device: &Device) -> TestResult {
    known::<half::f16>(device)?;
    let values = whole(15, 2);
    let view = View { elements: &values, shape: &[5, 3], strides: &[1, 5] };
    let wanted = reference::elementwise(&[5, 3], &[view], |x, _, _| x[0]);
    let x = device.buffer_from(&of::<half::f16>(&values))?;
    let y = copy()?.apply::<half::f16>(device, shaped(&x, [5, 3]).strides([1, 5]))?;
    same(&y.read()?, &of::<half::f16>(&wanted), "halves")
}

/// Views that contain elements more than once can be read.
fn windows(device: &Device) -> TestResult {
    let add = ElementwiseKernel::new("x: T, y: T", "z: T", "z = x + T(100) * y")?.name("add");
    let values = whole(20_000, 3);
    let x = device.buffer_from(&values)?;
    let (windows, repeats) = ([1, 1], [0, 3]);
    for shape in [[4, 3], [19_000, 2], [2, 6000]] {
        let view = |strides| View { elements: &values[5..], shape: &shape, strides };
        let wanted = reference::elementwise(&shape, &[view(&windows), view(&repeats)], |x, _, _| x[0] + 100 * x[1]);
        let x = x.slice(5..);
        let z = add.apply::<i32>(device, (shaped(x, shape).strides(windows), shaped(x, shape).strides(repeats)))?;
        same(&z.read()?, &wanted, &format!("{shape:?}"))?;
    }
    Ok(())
}

/// A view that is written leaves the elements between its own unchanged.
fn parts(device: &Device) -> TestResult {
    let values = whole(20_000, 4);
    let x = device.buffer_from(&values)?;
    for (from, step, count) in [(0, 1, 16_384), (1, 2, 5), (3, 3, 4000), (0, 19_999, 2), (7, 5, 1)] {
        let mut wanted = vec![-1; 20_010];
        for at in 0..count {
            wanted[from + at * step] = values[at];
        }
        let mut y = device.buffer_from(&vec![-1i32; 20_010])?;
        copy()?.run(device, x.slice(..count), shaped(y.slice_mut(from..), [count]).strides([step]))?;
        same(&y.read()?, &wanted, &format!("{count} elements, {step} apart"))?;
    }
    Ok(())
}

fn in_place(device: &Device) -> TestResult {
    let double = ElementwiseKernel::new("x: T", "x: T", "x = x + x + T(i)")?;
    let mut wanted = whole(12, 5);
    let mut x = device.buffer_from(&wanted)?;
    double.run(device, (), shaped(&mut x, [2, 3]).strides([1, 4]))?;
    for (i, at) in [0, 4, 8, 1, 5, 9].into_iter().enumerate() {
        wanted[at] = 2 * wanted[at] + i as i32;
    }
    same(&x.read()?, &wanted, "a part by columns")
}

/// Reductions of views with odd strides are right at lengths for which other arrays are read in vectors.
fn reduced(device: &Device) -> TestResult {
    let (sum, values) = (sum_of_views()?, whole(60_000, 6));
    let x = device.buffer_from(&values)?;
    for (shape, strides) in
        [([5, 8192], [1, 1]), ([8192, 5], [1, 1]), ([5, 8192], [8192, 1]), ([3, 5000], [4, 3]), ([7, 5000], [0, 2])]
    {
        for axis in [0, 1] {
            let view = View { elements: &values, shape: &shape, strides: &strides };
            let wanted = reference::reduction(&shape, &[axis], &[view], 0, |x| x[0], |a, b| a + b);
            let got = sum.call(device).axis(axis).apply::<i32>(shaped(&x, shape).strides(strides))?;
            same(&got.read()?, &wanted, &format!("{shape:?} by {strides:?} along {axis}"))?;
        }
    }
    Ok(())
}

/// A view with up to three axes and an offset.
#[derive(Clone, Debug)]
struct Random {
    shape: Vec<usize>,
    strides: Vec<usize>,
    from: usize,
}

impl Random {
    fn any() -> impl Strategy<Value = Self> {
        let axes = prop::collection::vec((0usize..9, 0usize..40), 1..4);
        (axes, 0usize..70).prop_map(|(axes, from)| {
            let (shape, strides) = axes.into_iter().unzip();
            Self { shape, strides, from }
        })
    }

    /// The largest number of elements that a random view needs.
    const LENGTH: usize = 70 + 3 * 8 * 40;
}

fn judged<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> TestResult) -> TestResult {
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, deterministic());
    let outcome = runner.run(strategy, |value| match check(value) {
        Ok(()) => Ok(()),
        Err(crate::outcome::Stop::Fail(message) | crate::outcome::Stop::Skip(message)) => {
            Err(TestCaseError::fail(message))
        }
    });
    outcome.or_else(|error| fail(error.to_string()))
}

fn deterministic() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

/// Random views can be read and, where their indices are distinct, written.
fn random_operations(device: &Device) -> TestResult {
    let (kernel, values) = (copy()?, whole(Random::LENGTH, 7));
    let x = device.buffer_from(&values)?;
    judged(&Random::any(), |Random { shape, strides, from }| {
        let view = View { elements: &values[from..], shape: &shape, strides: &strides };
        let wanted = reference::elementwise(&shape, &[view], |x, _, _| x[0]);
        let seen = || shaped(x.slice(from..), shape.clone()).strides(strides.clone());
        same(&kernel.apply::<i32>(device, seen())?.read()?, &wanted, "read")?;
        let places: Vec<usize> = reference::coordinates(&shape)
            .iter()
            .map(|at| from + at.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>())
            .collect();
        let mut y = device.buffer_from(&vec![-1i32; Random::LENGTH])?;
        let packed = device.buffer_from(&wanted)?;
        let target = shaped(y.slice_mut(from..), shape.clone()).strides(strides.clone());
        let done = kernel.run(device, shaped(&packed, shape.clone()), target);
        let apart = places.iter().collect::<std::collections::BTreeSet<_>>().len() == places.len();
        if !apart {
            return refused(done, |error| matches!(error, OperationError::View { .. }), &["two indices"]);
        }
        done?;
        let mut scattered = vec![-1; Random::LENGTH];
        places.iter().zip(&wanted).for_each(|(place, value)| scattered[*place] = *value);
        same(&y.read()?, &scattered, "written")
    })
}

fn random_reductions(device: &Device) -> TestResult {
    let (sum, values) = (sum_of_views()?, whole(Random::LENGTH, 8));
    let x = device.buffer_from(&values)?;
    judged(&(Random::any(), any::<[bool; 3]>()), |(Random { shape, strides, from }, along)| {
        let axes: Vec<usize> = (0..shape.len()).filter(|axis| along[*axis]).collect();
        let view = View { elements: &values[from..], shape: &shape, strides: &strides };
        let wanted = reference::reduction(&shape, &axes, &[view], 0, |x| x[0], |a, b| a + b);
        let call = sum.call(device).axes(axes.clone());
        let got = call.apply::<i32>(shaped(x.slice(from..), shape.clone()).strides(strides.clone()))?;
        same(&got.read()?, &wanted, &format!("along {axes:?}"))
    })
}

fn refusals(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::View { .. });
    let (kernel, x) = (copy()?, device.buffer::<f32>(12)?);
    let mut y = device.buffer_from(&[5.0f32; 12])?;
    let read = |strides: &[usize]| kernel.apply::<f32>(device, shaped(&x, [3, 4]).strides(strides)).map(drop);
    refused(read(&[5, 1]), is, &["elementwise copy: 'x'", "[3, 4]", "[5, 1]", "element 13, but the array has 12"])?;
    refused(read(&[1]), is, &["2 sizes and 1 strides"])?;
    refused(read(&[usize::MAX, usize::MAX]), is, &["includes element"])?;
    let mut write = |strides: [usize; 2]| kernel.run(device, 1.0f32, shaped(&mut y, [3, 4]).strides(strides));
    refused(write([1, 1]), is, &["elementwise copy: 'y'", "[3, 4]", "[1, 1]", "two indices for one element"])?;
    refused(write([0, 1]), is, &["two indices for one element"])?;
    refused(write([3, 1]), is, &["two indices for one element"])?;
    let raw = ElementwiseKernel::new("raw x: f32", "y: f32", "y = x[i]")?;
    refused(raw.run(device, shaped(&x, [12]).strides([1]), &mut y), is, &["'x'", "is raw"])?;
    let sum: ReductionKernel = sum_of_views()?;
    let along = sum.call(device).axis(0).run(shaped(&x, [3, 4]), shaped(&mut y, [4]).strides([1]));
    refused(along, is, &["reduction sum: 'y'", "without gaps"])?;
    same(&y.read()?, &[5.0; 12], "nothing has run")
}
