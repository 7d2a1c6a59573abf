//! Operations on slices, in recordings, and between other work.

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, ReductionKernel};
use half::f16;

use crate::Case;
use crate::outcome::{TestResult, ensure, equal, same};
use crate::whole_numbers::{Number, known, of, whole};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("slices::slices_f32".to_owned(), slices::<f32>),
        ("slices::slices_f16".to_owned(), slices::<f16>),
        ("slices::slices_f64".to_owned(), slices::<f64>),
        ("slices::halves_of_one_buffer".to_owned(), halves),
        ("slices::recorded".to_owned(), recorded),
        ("slices::a_chain".to_owned(), chain),
        ("slices::kernels_are_kept".to_owned(), kept),
    ]
}

/// Slices at any offset work, with and without vectors; elements around them are unchanged.
fn slices<T: Number>(device: &Device) -> TestResult {
    known::<T>(device)?;
    let double = ElementwiseKernel::new("x: T", "y: T", "y = x + x")?.name("double");
    let values = whole(40_000, 1);
    let x = device.buffer_from(&of::<T>(&values))?;
    for (from, to, length) in [(0, 1, 5), (3, 0, 1000), (7, 7, 255), (64, 128, 20_000), (1, 3, 20_003), (5, 64, 16_385)]
    {
        let mut y = device.buffer_from(&[T::of(99); 40_000])?;
        double.run(device, x.slice(from..from + length), y.slice_mut(to..to + length))?;
        let mut wanted = vec![99; 40_000];
        for at in 0..length {
            wanted[to + at] = 2 * values[from + at];
        }
        same(&y.read()?, &of::<T>(&wanted), &format!("{length} elements from {from} to {to}"))?;
    }
    Ok(())
}

/// A launch can read one part of a buffer and write another if the device supports that; otherwise it is refused.
fn halves(device: &Device) -> TestResult {
    let double = ElementwiseKernel::new("x: f32", "y: f32", "y = x + x")?.name("double");
    let mut both = device.buffer_from(&of::<f32>(&whole(1024, 2)))?;
    let wanted: Vec<f32> = both.read()?[..512].iter().map(|x| x + x).collect();
    let (left, right) = both.split_at_mut(512);
    let done = double.run(device, &left, right);
    if device.caps().aliased_bindings {
        done?;
        return same(&both.read()?[512..], &wanted, "the right half");
    }
    let error = done.err().map(|error| error.to_string()).unwrap_or_default();
    ensure(error.contains("separate buffers"), || format!("the error is '{error}'"))
}

fn recorded(device: &Device) -> TestResult {
    let step = ElementwiseKernel::new("x: f32", "x: f32", "x = x * 2 + 1")?.name("step");
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    for length in [10, 70_001] {
        let mut x = device.buffer::<f32>(length)?;
        let mut y = device.buffer::<f32>(1)?;
        let mut recording = device.recording();
        for _ in 0..3 {
            step.call(device).record(&mut recording).run((), &mut x)?;
        }
        sum.call(device).record(&mut recording).run(&x, &mut y)?;
        equal(x.read()?[length - 1], 0.0, "before it was submitted")?;
        for (value, times) in [(7.0, 1), (63.0, 2)] {
            recording.submit()?;
            same(&x.read()?, &vec![value; length], &format!("submitted {times} times"))?;
            equal(y.read()?[0], value * length as f32, "the sum")?;
        }
    }
    Ok(())
}

/// The operation reads earlier writes of the host, and later reads return its result.
fn chain(device: &Device) -> TestResult {
    let next = ElementwiseKernel::new("x: u32", "y: u32", "y = x + 1u")?.name("next");
    let mut x = device.buffer::<u32>(1000)?;
    let mut y = device.buffer::<u32>(1000)?;
    x.write()?.fill(5);
    for _ in 0..50 {
        next.run(device, &x, &mut y)?;
        next.run(device, &y, &mut x)?;
    }
    same(&x.read()?, &[105; 1000], "a hundred steps")
}

/// Each variant of an operation is compiled once.
fn kept(device: &Device) -> TestResult {
    // The test reopens the device, because other tests compile kernels on the shared one.
    let device = &device.reopen()?;
    let double = ElementwiseKernel::new("x: T", "y: T", "y = x + x + T(0)")?.name("kept");
    let x = device.buffer::<f32>(100)?;
    double.apply::<f32>(device, &x)?;
    let before = device.stats().counters.compilations;
    for length in [100, 200, 300] {
        double.apply::<f32>(device, &device.buffer::<f32>(length)?)?;
    }
    equal(device.stats().counters.compilations, before, "compilations of the same form again")?;
    double.apply::<i32>(device, &device.buffer::<i32>(100)?)?;
    equal(device.stats().counters.compilations, before + 1, "compilations for another type")
}
