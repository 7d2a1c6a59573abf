//! The operators, each on arrays that are more than four times as large as the largest binding.

use anywarp::ops::{
    Cast, ElementwiseKernel, FillPattern, Full, Histogram, IsSorted, Join, Matmul, MatmulMethod, Merge, OneHot, Random,
    Rearrange, ReductionKernel, RunLengths, Scan, Scatter, SearchSorted, Select, Sequence, Softmax, Sort, SortBy, Take,
    TopK, layer_norm, matmul, reduce, shaped,
};
use anywarp::{Device, Element, Error, UnifiedBuffer, f16};

use super::{LIMIT, Operator, Outcome};

/// The number of words in an array: four times as many as a binding can have, and a few more.
const LENGTH: usize = LIMIT as usize + 7;
/// The value of all words of a result before the call.
pub(super) const BEFORE: u32 = 0x4b4b_4b4b;

/// A buffer of small integers, whose sums in `f32` are exact.
fn floats(device: &Device) -> Result<UnifiedBuffer<f32>, Error> {
    Ok(device.buffer_from(&words().map(|word| (word % 3) as f32 - 1.0).collect::<Vec<_>>())?)
}

fn integers(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&words().collect::<Vec<_>>())?)
}

fn words() -> impl Iterator<Item = u32> {
    (0..LENGTH as u32).map(|at| at.wrapping_mul(0x9e37_79b9) >> 7)
}

/// A buffer with the indices of all elements in reverse order.
fn places(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&(0..LENGTH as u32).rev().collect::<Vec<_>>())?)
}

fn ramp(device: &Device) -> Result<UnifiedBuffer<u32>, Error> {
    Ok(device.buffer_from(&(0..LENGTH as u32).collect::<Vec<_>>())?)
}

/// A buffer for a result of `length` elements, filled with [`BEFORE`].
fn result<T: Element>(device: &Device, length: usize) -> Result<UnifiedBuffer<T>, Error> {
    let words = vec![BEFORE; (length * size_of::<T>()).div_ceil(4)];
    Ok(device.buffer_from(&bytemuck::cast_slice::<u32, T>(&words)[..length])?)
}

fn outcome<T: Element>(done: Result<(), impl Into<Error>>, y: &UnifiedBuffer<T>) -> Result<Outcome, Error> {
    let mut bytes = bytemuck::cast_slice::<T, u8>(&y.read()?).to_vec();
    bytes.truncate(bytes.len() / 4 * 4);
    Ok((done.map_err(Into::into), bytemuck::pod_collect_to_vec(&bytes)))
}

/// An operator whose result `y` has `$length` elements of type `$element`.
macro_rules! case {
    ($name:literal, $windows:literal, $element:ty, $length:expr, |$device:ident, $y:ident| $call:expr) => {
        Operator {
            name: $name,
            windows: $windows,
            run: |$device| {
                let mut $y = result::<$element>($device, $length)?;
                let done: Result<(), Error> = (|| Ok($call))();
                outcome(done, &$y)
            },
        }
    };
}

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
    case!("permutation", false, u32, LENGTH, |device, y| {
        let _ = device;
        Random::new(5).permutation(&mut y)?;
    }),
    case!("pattern in a part", true, f32, LENGTH, |device, y| {
        let _ = device;
        FillPattern::new(&[1.0f32, 2.0, 3.0, 4.0, 5.0]).offset(2).run(y.slice_mut(1..LENGTH - 1))?;
    }),
    case!("take", false, f32, LENGTH, |device, y| {
        Take::new([LENGTH], 0).run(&floats(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter", false, u32, LENGTH, |device, y| {
        Scatter::new([LENGTH], 0).set(&integers(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter_add", false, u32, LENGTH, |device, y| {
        Scatter::new([LENGTH], 0).add(&integers(device)?, &places(device)?, &mut y)?;
    }),
    case!("scatter_max of longs", false, u64, LENGTH / 2, |device, y| {
        let x = result::<u64>(device, LENGTH / 2)?;
        Scatter::new([LENGTH / 2], 0).max(&x, places(device)?.slice(..LENGTH / 2), &mut y)?;
    }),
    case!("flip", false, u32, LENGTH, |device, y| Rearrange::flip([LENGTH], &[0]).run(&integers(device)?, &mut y)?),
    case!("transpose", false, u32, LENGTH - 7, |device, y| {
        Rearrange::transpose([1 << 10, 1 << 10]).run(integers(device)?.slice(7..), &mut y)?;
    }),
    case!("join", true, u32, LENGTH, |device, y| {
        let x = integers(device)?;
        Join::concatenate([LENGTH], 0).run(&[x.slice(5..), x.slice(..5)], &mut y)?;
    }),
    case!("join of columns", false, u32, LENGTH - 7, |device, y| {
        let x = integers(device)?;
        // The operator copies the first part, and moves the other parts by a kernel.
        Join::concatenate([1 << 10, 1 << 10], 1).run(&[x.slice(..1 << 19), x.slice(1 << 19..1 << 20)], &mut y)?;
    }),
    case!("one_hot", false, f32, LENGTH, |device, y| {
        let indices = device.buffer_from(&[1u32; LENGTH / 7])?;
        OneHot::new(7, [0.0, 1.0]).run(&indices, y.slice_mut(..LENGTH / 7 * 7))?;
    }),
    case!("sort", false, u32, LENGTH, |device, y| Sort::new().run(&integers(device)?, &mut y)?),
    case!("argsort", false, u32, LENGTH, |device, y| Sort::new().argsort(&integers(device)?, &mut y)?),
    case!("sort by a comparison", false, u32, LENGTH, |device, y| {
        SortBy::new("x > y").run(&integers(device)?, &mut y)?;
    }),
    case!("merge", false, u32, LENGTH, |device, y| {
        let x = ramp(device)?;
        Merge::new().run(x.slice(..9), x.slice(9..), &mut y)?;
    }),
    case!("is_sorted", false, u32, 1, |device, y| IsSorted::new().run(&ramp(device)?, &mut y)?),
    case!("searchsorted", false, u32, LENGTH, |device, y| {
        SearchSorted::new().run(&ramp(device)?, &integers(device)?, &mut y)?;
    }),
    case!("top_k", false, u32, 10, |device, y| {
        let mut indices = device.buffer::<u32>(10)?;
        TopK::new(10).run(&integers(device)?, &mut y, &mut indices)?;
    }),
    case!("selection", false, u32, LENGTH, |device, y| {
        Select::new("x % 2u == 0u").run(&integers(device)?, &mut y).map(drop)?;
    }),
    case!("run lengths", false, u32, LENGTH, |device, y| {
        let mut lengths = device.buffer::<u32>(LENGTH)?;
        RunLengths::new().encode(&integers(device)?, &mut y, &mut lengths).map(drop)?;
    }),
    case!("softmax", false, f32, LENGTH - 7, |device, y| {
        Softmax::new([1 << 10, 1 << 10], 1).run(floats(device)?.slice(7..), &mut y)?;
    }),
    case!("layer norm", false, f32, LENGTH - 7, |device, y| {
        let ones = device.buffer_from(&vec![1.0f32; 1 << 10])?;
        layer_norm(floats(device)?.slice(7..), &ones, &ones, &mut y, 1e-5)?;
    }),
    case!("matrix product", false, f32, 1 << 20, |device, y| {
        let (a, b) = (device.buffer_from(&vec![1.0f32; 1 << 12])?, device.buffer_from(&vec![2.0f32; 1 << 12])?);
        Matmul::new([1 << 10, 4, 1 << 10]).method(MatmulMethod::Tiles).run(&a, &b, &mut y)?;
    }),
    // A library binds nothing, so it needs no windows.
    case!("matrix product by the library", true, f32, 1 << 20, |device, y| {
        let (a, b) = (device.buffer_from(&vec![1.0f32; 1 << 12])?, device.buffer_from(&vec![2.0f32; 1 << 12])?);
        matmul(&a, &b, &mut y, [1 << 10, 4, 1 << 10])?;
    }),
];
