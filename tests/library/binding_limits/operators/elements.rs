//! Operators whose elements hardly depend on each other: copies, kernels of one line, reductions, scans, sequences.

use anywarp::f16;
use anywarp::ops::{
    Activate, ActivationFunction, Cast, ElementwiseKernel, FillPattern, Full, Histogram, Random, ReductionKernel, Scan,
    Sequence, reduce, shaped,
};

use super::{LENGTH, Operator, case, floats, integers, result, words, words_of};

pub(super) const OPERATORS: &[Operator] = &[
    case!("copy", true, f32, LENGTH, |device, y| y.copy_from(&floats(device)?)?),
    case!("fill", true, f32, LENGTH, |device, y| y.fill(5.0)?),
    case!("elementwise", true, f32, LENGTH, |device, y| {
        let rise = ElementwiseKernel::new("x: f32, a: f32", "y: f32", "y = a * x + f32(i) - f32(n)")?;
        rise.run(device, (&floats(device)?, 3.0f32), &mut y)?;
    }),
    case!("elementwise in place", true, u32, LENGTH, |device, y| {
        let add = ElementwiseKernel::new("x: u32, y: u32", "y: u32", "y += x + i")?;
        add.run(device, &integers(device)?, &mut y)?;
    }),
    case!("elementwise, a part", true, u32, LENGTH, |device, y| {
        let copy = ElementwiseKernel::new("x: u32", "y: u32", "y = x ^ i")?;
        copy.run(device, integers(device)?.slice(5..LENGTH), y.slice_mut(3..LENGTH - 2))?;
    }),
    case!("cast from u16", true, u32, LENGTH, |device, y| {
        let x = device.buffer_from(&words().map(|word| word as u16).collect::<Vec<_>>())?;
        Cast::new().run(&x, &mut y)?;
    }),
    case!("elementwise along rows", false, f32, LENGTH - 7, |device, y| {
        let add = ElementwiseKernel::new("x: f32, b: f32", "y: f32", "y = x + b")?;
        let b = device.buffer_from(&vec![1.0f32; 1 << 10])?;
        add.run(device, (shaped(floats(device)?.slice(7..), [1 << 10, 1 << 10]), shaped(&b, [1 << 10])), &mut y)?;
    }),
    case!("sum", true, f32, 1, |device, y| reduce::sum().call(device).run(&floats(device)?, &mut y)?),
    case!("sum of a part", true, u32, 1, |device, y| {
        reduce::sum().call(device).run(integers(device)?.slice(3..LENGTH - 1), &mut y)?;
    }),
    case!("sum of vectors", true, u32, 1, |device, y| {
        reduce::sum().call(device).run(integers(device)?.slice(4..1 << 20), &mut y)?;
    }),
    case!("dot", true, f32, 1, |device, y| {
        let x = floats(device)?;
        reduce::dot().call(device).run((&x, &x), &mut y)?;
    }),
    case!("argmax", true, u32, 1, |device, y| reduce::argmax().call(device).run(&integers(device)?, &mut y)?),
    case!("reduction by index", true, u32, 1, |device, y| {
        let kernel = ReductionKernel::new("x: u32", "y: u32")?.map("x ^ (i + n)").combine("a + b").identity("0");
        kernel.call(device).run(&integers(device)?, &mut y)?;
    }),
    case!("sum of rows", false, f32, 1 << 10, |device, y| {
        let x = floats(device)?;
        reduce::sum().call(device).axis(1).run(shaped(x.slice(7..), [1 << 10, 1 << 10]), &mut y)?;
    }),
    case!("scan", true, u32, LENGTH, |device, y| Scan::sum().run(&integers(device)?, &mut y)?),
    case!("scan of a part", true, u32, LENGTH, |device, y| {
        Scan::sum().run(integers(device)?.slice(3..LENGTH - 1), y.slice_mut(1..LENGTH - 3))?;
    }),
    case!("scan of vectors", true, u32, LENGTH, |device, y| {
        Scan::sum().run(integers(device)?.slice(4..1 << 20), y.slice_mut(4..1 << 20))?;
    }),
    case!("reverse scan of vectors", true, u32, LENGTH, |device, y| {
        Scan::sum().reverse().exclusive().run(integers(device)?.slice(4..1 << 20), y.slice_mut(4..1 << 20))?;
    }),
    case!("scan of longs", true, u64, LENGTH / 2, |device, y| {
        let _ = device;
        Scan::sum().run_in_place(&mut y)?;
    }),
    case!("scan of floats", true, f32, LENGTH, |device, y| Scan::sum().run(&floats(device)?, &mut y)?),
    case!("exclusive scan", true, u32, LENGTH, |device, y| Scan::sum().exclusive().run(&integers(device)?, &mut y)?),
    case!("reverse scan", true, u32, LENGTH, |device, y| Scan::max().reverse().run(&integers(device)?, &mut y)?),
    case!("scan in place", true, u32, LENGTH, |device, y| Scan::sum().run_in_place(&mut y)?),
    case!("scan of rows", false, u32, LENGTH - 7, |device, y| {
        Scan::sum().axis([1 << 10, 1 << 10], 1).run(integers(device)?.slice(7..), &mut y)?;
    }),
    case!("scan by keys", false, u32, LENGTH, |device, y| {
        let x = integers(device)?;
        Scan::sum().keys(&x).run(&x, &mut y)?;
    }),
    case!("histogram", true, u32, 100, |device, y| {
        Histogram::even(100, -1.0..1.5).run(&floats(device)?, &mut y)?;
    }),
    case!("histogram of channels", true, u32, 30, |device, y| {
        Histogram::even(10, -1.0..1.5).channels(3).run(floats(device)?.slice(2..LENGTH), &mut y)?;
    }),
    case!("weighted histogram", true, f32, 100, |device, y| {
        let x = floats(device)?;
        Histogram::even(100, -1.0..1.5).run_weighted(&x, &x, &mut y)?;
    }),
    case!("bincount", true, u32, 10_000, |device, y| {
        Histogram::numbers(10_000).run(&integers(device)?, &mut y)?;
    }),
    case!("cast", true, f32, LENGTH, |device, y| Cast::new().run(&integers(device)?, &mut y)?),
    case!("cast to half", true, u16, LENGTH, |device, y| Cast::new().run(&integers(device)?, &mut y)?),
    case!("arange", true, u32, LENGTH, |device, y| {
        let _ = device;
        Sequence::arange(1u32, 3).run(&mut y)?;
    }),
    case!("arange of shorts in a part", true, u16, 2 * LENGTH, |device, y| {
        let _ = device;
        Sequence::arange(5u16, 3).run(y.slice_mut(3..2 * LENGTH - 2))?;
    }),
    case!("linspace", true, f32, LENGTH, |device, y| {
        let _ = device;
        Sequence::linspace(-1.0f32, 1.0).run(y.slice_mut(1..))?;
    }),
    case!("full", true, u32, LENGTH, |device, y| {
        let _ = device;
        Full::new(7u32).run(y.slice_mut(1..))?;
    }),
    case!("pattern", true, u32, LENGTH, |device, y| {
        let _ = device;
        FillPattern::new(&[1u32, 2, 3]).run(&mut y)?;
    }),
    case!("random", true, u32, LENGTH, |device, y| {
        let _ = device;
        Random::new(1).bits(&mut y)?;
    }),
    case!("random integers in a part", true, u32, LENGTH, |device, y| {
        let _ = device;
        Random::new(1).offset(3).integers(0..1000, y.slice_mut(5..))?;
    }),
    case!("normal numbers", true, f32, LENGTH, |device, y| {
        let _ = device;
        Random::new(2).normal(&mut y)?;
    }),
    case!("uniform halves in a part", true, f16, 2 * LENGTH, |device, y| {
        let _ = device;
        Random::new(3).uniform(y.slice_mut(1..))?;
    }),
    case!("random longs", true, u64, LENGTH / 2, |device, y| {
        let _ = device;
        Random::new(4).bits(&mut y)?;
    }),
    case!("permutation", true, u32, LENGTH, |device, y| {
        let _ = device;
        Random::new(5).permutation(&mut y)?;
    }),
    case!("choice in a part", true, u32, LENGTH, |device, y| {
        let _ = device;
        Random::new(6).choice(1 << 30, y.slice_mut(3..))?;
    }),
    case!("pattern in a part", true, f32, LENGTH, |device, y| {
        let _ = device;
        FillPattern::new(&[1.0f32, 2.0, 3.0, 4.0, 5.0]).offset(2).run(y.slice_mut(1..LENGTH - 1))?;
    }),
    case!("activation", false, f32, LENGTH, |device, y| {
        Activate::new(ActivationFunction::Hardswish).run(&floats(device)?, &mut y)?;
    }),
    case!("derivative of an activation", false, f32, LENGTH, |device, y| {
        let x = floats(device)?;
        Activate::new(ActivationFunction::Hardswish).backward(&x, &x, &mut y)?;
    }),
];
