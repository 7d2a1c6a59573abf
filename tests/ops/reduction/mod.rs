//! Reductions: operations, types, lengths, axes.

mod named;
mod refusals;
mod segments;

use anywarp::Device;
use anywarp::ops::{ReductionKernel, shaped};
use half::f16;

use crate::outcome::{TestResult, ensure, equal, same};
use crate::whole_numbers::{Number, known, of, whole};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("sum_f32", sum::<f32>),
        ("sum_f64", sum::<f64>),
        ("sum_i32", sum::<i32>),
        ("sum_u32", sum::<u32>),
        ("sum_i64", sum::<i64>),
        ("sum_u64", sum::<u64>),
        ("greatest_f16", greatest::<f16>),
        ("greatest_i16", greatest::<i16>),
        ("greatest_f32", greatest::<f32>),
        ("least_and_product", least_and_product),
        ("dot", dot),
        ("mean_and_norm", mean_and_norm),
        ("where_the_greatest_is", where_the_greatest_is),
        ("wider_accumulator", wider_accumulator),
        ("values_and_raw", values_and_raw),
        ("axes", axes),
        ("long_rows_and_columns", long_rows_and_columns),
        ("broadcast", broadcast),
        ("slices", slices),
        ("nothing", nothing),
        ("infinities", infinities),
        ("infinity_in_each_expression", infinity_in_each_expression),
        ("every_name", every_name),
        ("many_results", many_results),
        ("many_elements", many_elements),
        ("the_same_bits_again", the_same_bits_again),
    ];
    let cases = cases
        .into_iter()
        .map(|(name, case)| (name.to_owned(), case))
        .chain(refusals::cases())
        .chain(named::cases())
        .chain(segments::cases());
    cases.map(|(name, case)| (format!("reduction::{name}"), case)).collect()
}

fn sum_kernel() -> TestResult<ReductionKernel> {
    Ok(ReductionKernel::new("x: T", "y: T")?.combine("a + b").finish("y = a").identity("0").name("sum"))
}

const LENGTHS: [usize; 16] = [1, 2, 3, 15, 16, 17, 255, 256, 257, 1021, 4096, 4099, 65_537, 99_991, 262_147, 1_048_577];

fn sum<T: Number>(device: &Device) -> TestResult {
    known::<T>(device)?;
    let sum = sum_kernel()?;
    for length in LENGTHS {
        let values = whole(length, 1);
        let wanted = T::of(values.iter().sum());
        let x = device.buffer_from(&of::<T>(&values))?;
        same(&sum.apply::<T>(device, &x)?.read()?, &[wanted], &format!("{length} elements"))?;
    }
    Ok(())
}

fn greatest<T: Number>(device: &Device) -> TestResult {
    known::<T>(device)?;
    let greatest = ReductionKernel::new("x: T", "y: T")?.combine("max(a, b)").identity("0").name("greatest");
    for length in LENGTHS {
        let mut values = whole(length, 2);
        values[length * 2 / 3] = 77;
        let x = device.buffer_from(&of::<T>(&values))?;
        same(&greatest.apply::<T>(device, &x)?.read()?, &[T::of(77)], &format!("{length} elements"))?;
    }
    Ok(())
}

fn least_and_product(device: &Device) -> TestResult {
    let x = device.buffer_from(&[3.0f32, -2.0, 5.0, 0.5])?;
    let least = ReductionKernel::new("x: f32", "y: f32")?.combine("min(a, b)").identity("3.4e38");
    same(&least.apply::<f32>(device, &x)?.read()?, &[-2.0], "the least")?;
    let product = ReductionKernel::new("x: f32", "y: f32")?.combine("a * b").identity("1");
    same(&product.apply::<f32>(device, &x)?.read()?, &[-15.0], "the product")
}

fn dot(device: &Device) -> TestResult {
    let dot = ReductionKernel::new("x: T, y: T", "z: T")?.map("x * y").combine("a + b").identity("0").name("dot");
    for length in [1, 1000, 50_001] {
        let (x, y) = (whole(length, 3), whole(length, 4));
        let wanted = x.iter().zip(&y).map(|(x, y)| x * y).sum::<i32>();
        let (x, y) = (device.buffer_from(&of::<f32>(&x))?, device.buffer_from(&of::<f32>(&y))?);
        same(&dot.apply::<f32>(device, (&x, &y))?.read()?, &[wanted as f32], &format!("{length} elements"))?;
    }
    Ok(())
}

fn mean_and_norm(device: &Device) -> TestResult {
    let x = device.buffer_from(&[3.0f32, 4.0, 0.0, 0.0])?;
    let mean = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").finish("y = a / f32(n)").identity("0");
    same(&mean.apply::<f32>(device, &x)?.read()?, &[1.75], "the mean")?;
    let norm = ReductionKernel::new("x: f32", "y: f32")?
        .map("x * x")
        .combine("a + b")
        .finish("let t = sqrt(a); y = t;")
        .identity("0");
    same(&norm.apply::<f32>(device, &x)?.read()?, &[5.0], "the norm")
}

fn where_the_greatest_is(device: &Device) -> TestResult {
    let at = ReductionKernel::new("x: f32", "at: u32")?
        .map("Best(x, i)")
        .combine("better(a, b)")
        .finish("a.at")
        .identity("Best(-3e38, 0xffffffffu)")
        .preamble(
            "struct Best { value: f32, at: u32 }
             fn better(a: Best, b: Best) -> Best {
                 if a.value > b.value || (a.value == b.value && a.at < b.at) { return a; }
                 return b;
             }",
        )
        .accumulator("Best");
    for length in [1, 7, 5000, 300_007] {
        let values = of::<f32>(&whole(length, 5));
        let greatest = values.iter().copied().fold(0.0, f32::max);
        let wanted = values.iter().position(|value| *value == greatest).unwrap_or(0) as u32;
        let x = device.buffer_from(&values)?;
        same(&at.apply::<u32>(device, &x)?.read()?, &[wanted], &format!("{length} elements"))?;
    }
    Ok(())
}

/// Numbers of `f16` can be summed in `f32`; in `f16` the sums would be inexact or infinite.
fn wider_accumulator(device: &Device) -> TestResult {
    known::<f16>(device)?;
    let sum = ReductionKernel::new("x: f16", "y: f32")?.map("f32(x)").combine("a + b").identity("0").name("sum");
    let mean = ReductionKernel::new("x: f16", "y: f16")?
        .map("f32(x)")
        .combine("a + b")
        .finish("f16(a / f32(n))")
        .identity("0")
        .accumulator("f32");
    for length in [3, 4097, 70_001] {
        let x = device.buffer_from(&vec![f16::from_f32(2.5); length])?;
        same(&sum.apply::<f32>(device, &x)?.read()?, &[2.5 * length as f32], "the sum")?;
        let mut y = device.buffer::<f16>(2)?;
        mean.run(device, &x, y.slice_mut(..1))?;
        equal(y.read()?[0].to_f32(), 2.5, "the mean")?;
    }
    Ok(())
}

fn values_and_raw(device: &Device) -> TestResult {
    let x = device.buffer_from(&of::<f32>(&whole(5000, 6)))?;
    let wanted = whole(5000, 6).iter().filter(|x| **x > 6).count() as u32;
    let above = ReductionKernel::new("x: f32, limit: f32", "y: u32")?
        .map("select(0u, 1u, x > limit)")
        .combine("a + b")
        .identity("0");
    same(&above.apply::<u32>(device, (&x, 6.0f32))?.read()?, &[wanted], "how many are above a limit")?;
    let rising = ReductionKernel::new("raw x: f32", "y: u32")?
        .map("select(0u, 1u, x[i + 1u] > x[i])")
        .combine("a + b")
        .identity("0");
    let wanted = whole(5000, 6).windows(2).filter(|pair| pair[1] > pair[0]).count() as u32;
    let got = rising.call(device).size(4999).apply::<u32>(&x)?;
    same(&got.read()?, &[wanted], "how many are followed by more")
}

/// Sums over `axes` of an array of `shape`, computed in plain Rust.
fn plain(values: &[i32], shape: &[usize], axes: &[usize]) -> Vec<i32> {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let mut sums = vec![0; kept.iter().map(|axis| shape[*axis]).product()];
    for (at, value) in values.iter().enumerate() {
        let coordinate = |axis: usize| at / shape[axis + 1..].iter().product::<usize>() % shape[axis];
        let target = kept.iter().fold(0, |target, axis| target * shape[*axis] + coordinate(*axis));
        sums[target] += value;
    }
    sums
}

fn axes(device: &Device) -> TestResult {
    let sum = sum_kernel()?;
    for shape in [vec![4, 5], vec![70, 40], vec![1, 9], vec![9, 1], vec![3, 4, 5], vec![33, 2, 65], vec![2, 3, 4, 5]] {
        let values = whole(shape.iter().product(), 7);
        let x = device.buffer_from(&values)?;
        let sets = (1..1 << shape.len()).map(|set| (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect());
        for axes in sets.collect::<Vec<Vec<usize>>>() {
            let what = format!("axes {axes:?} of {shape:?}");
            let wanted = plain(&values, &shape, &axes);
            let got = sum.call(device).axes(axes.as_slice()).apply::<i32>(shaped(&x, shape.as_slice()))?;
            same(&got.read()?, &wanted, &what)?;
            let with_ones: Vec<usize> =
                (0..shape.len()).map(|at| if axes.contains(&at) { 1 } else { shape[at] }).collect();
            let mut y = device.buffer::<i32>(wanted.len())?;
            sum.call(device).axes(axes).run(shaped(&x, shape.as_slice()), shaped(&mut y, with_ones))?;
            same(&y.read()?, &wanted, &format!("{what}, sizes of 1 kept"))?;
        }
        let got = sum.call(device).axes([]).apply::<i32>(shaped(&x, shape.as_slice()))?;
        same(&got.read()?, &values, &format!("no axis of {shape:?}"))?;
    }
    Ok(())
}

fn long_rows_and_columns(device: &Device) -> TestResult {
    let sum = sum_kernel()?;
    let shapes = [[3, 100_003], [100_003, 3], [40, 20_000], [20_000, 40], [5000, 100], [100, 5000], [7, 16_384]];
    for shape in shapes {
        let values = whole(shape[0] * shape[1], 8);
        let x = device.buffer_from(&of::<f32>(&values))?;
        for axis in [0, 1] {
            let wanted = of::<f32>(&plain(&values, &shape, &[axis]));
            let got = sum.call(device).axis(axis).apply::<f32>(shaped(&x, shape))?;
            same(&got.read()?, &wanted, &format!("axis {axis} of {shape:?}"))?;
        }
    }
    Ok(())
}

/// A reduction can broadcast its arguments, as in a product of a matrix and a vector.
fn broadcast(device: &Device) -> TestResult {
    let dot = ReductionKernel::new("x: T, y: T", "z: T")?.map("x * y").combine("a + b").identity("0").name("dot");
    for (rows, columns) in [(3, 4), (50, 300), (200, 8192)] {
        let (matrix, vector) = (whole(rows * columns, 9), whole(columns, 10));
        let row = |row: &[i32]| row.iter().zip(&vector).map(|(x, y)| x * y).sum();
        let wanted: Vec<i32> = matrix.chunks(columns).map(row).collect();
        let (x, y) = (device.buffer_from(&of::<f32>(&matrix))?, device.buffer_from(&of::<f32>(&vector))?);
        let z = dot.call(device).axis(1).apply::<f32>((shaped(&x, [rows, columns]), &y))?;
        same(&z.read()?, &of::<f32>(&wanted), &format!("{rows} x {columns}"))?;
    }
    Ok(())
}

fn slices(device: &Device) -> TestResult {
    let (sum, values) = (sum_kernel()?, whole(80_000, 11));
    let x = device.buffer_from(&of::<f32>(&values))?;
    let mut y = device.buffer_from(&[-1.0f32; 5])?;
    for (from, length) in [(1, 10), (64, 70_000), (3, 70_001), (4, 70_002)] {
        sum.run(device, x.slice(from..from + length), y.slice_mut(3..4))?;
        let wanted = values[from..from + length].iter().sum::<i32>() as f32;
        same(&y.read()?, &[-1.0, -1.0, -1.0, wanted, -1.0], &format!("{length} elements from {from}"))?;
    }
    Ok(())
}

/// A reduction of no elements is the identity, after `finish`.
fn nothing(device: &Device) -> TestResult {
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").finish("a + 3").identity("0");
    let none = device.buffer::<f32>(0)?;
    same(&sum.apply::<f32>(device, &none)?.read()?, &[3.0], "no elements")?;
    let columns = sum.call(device).axis(0).apply::<f32>(shaped(&none, [0, 300]))?;
    same(&columns.read()?, &[3.0; 300], "no rows of 300")?;
    let rows = sum.call(device).axis(1).apply::<f32>(shaped(&none, [0, 300]))?;
    equal(rows.len(), 0, "sums of no rows")
}

/// Infinite identities work for all types that have infinities, for no elements and for many.
fn infinities(device: &Device) -> TestResult {
    extremes::<f32>(device, &[f32::NEG_INFINITY], &[f32::INFINITY])?;
    if known::<f16>(device).is_ok() {
        extremes::<f16>(device, &[f16::NEG_INFINITY], &[f16::INFINITY])?;
    }
    if known::<f64>(device).is_ok() {
        extremes::<f64>(device, &[f64::NEG_INFINITY], &[f64::INFINITY])?;
    }
    let (none, x) = (device.buffer::<f32>(0)?, device.buffer_from(&[f32::NEG_INFINITY; 70])?);
    let pair = ReductionKernel::new("x: f32", "y: vec2<f32>")?
        .map("vec2(x, -x)")
        .combine("max(a, b)")
        .identity("vec2(-inf, -inf)");
    same(&pair.apply::<[f32; 2]>(device, &none)?.read()?, &[[f32::NEG_INFINITY; 2]], "a pair of none")?;
    same(&pair.apply::<[f32; 2]>(device, &x)?.read()?, &[[f32::NEG_INFINITY, f32::INFINITY]], "a pair")?;
    let own =
        ReductionKernel::new("x: f32", "y: f32")?.combine("max(a, b)").identity("inf").preamble("const inf = -5.0;");
    same(&own.apply::<f32>(device, &none)?.read()?, &[-5.0], "a constant of the caller's")?;
    let whole = ReductionKernel::new("x: i32", "y: i32")?.combine("max(a, b)").identity(i32::MIN);
    same(&whole.apply::<i32>(device, &device.buffer::<i32>(0)?)?.read()?, &[i32::MIN], "a number of Rust's")
}

/// `inf` works in map, combine and finish, also where the combined value is no float.
fn infinity_in_each_expression(device: &Device) -> TestResult {
    for length in [7usize, 4099, 262_147] {
        let mut values: Vec<f32> = whole(length, 5).iter().map(|x| *x as f32).collect();
        values[length / 2] = f32::INFINITY;
        let x = device.buffer_from(&values)?;
        let finite = ReductionKernel::new("x: f32", "y: u32")?.map("u32(x < inf)").combine("a + b").identity("0");
        same(&finite.apply::<u32>(device, &x)?.read()?, &[length as u32 - 1], "map")?;
        let greatest = ReductionKernel::new("x: f32", "y: f32")?
            .combine("select(max(select(a, -inf, a == inf), select(b, -inf, b == inf)), -inf, false)")
            .finish("y = select(a, 0.0, a == -inf)")
            .identity("-inf");
        same(&greatest.apply::<f32>(device, &x)?.read()?, &[12.0], "combine")?;
        same(&greatest.apply::<f32>(device, x.slice(..0))?.read()?, &[0.0], "finish")?;
    }
    Ok(())
}

/// Arguments can have the names of variables in the generated kernel.
fn every_name(device: &Device) -> TestResult {
    let words = ["k", "o", "r", "value", "partial", "base", "begin", "job", "a", "x_0"];
    let x = device.buffer_from(&vec![1.0f32; 24_001])?;
    for name in words {
        let sum = ReductionKernel::new(&format!("{name}: f32, w: f32"), "y: f32")?.combine("a + b").identity(0);
        let sum = sum.map(&format!("{name} * w"));
        same(&sum.apply::<f32>(device, (&x, &x))?.read()?, &[24_001.0], name)?;
        let part = || shaped(x.slice(..24_000), [24, 1000]);
        let columns = sum.call(device).axis(0).apply::<f32>((part(), part()))?;
        same(&columns.read()?, &[24.0; 1000], name)?;
        let raw = ReductionKernel::new(&format!("raw {name}: f32, w: f32"), "y: f32")?.combine("a + b").identity(0);
        let raw = raw.map(&format!("{name}[i] * w"));
        same(&raw.apply::<f32>(device, (&x, &x))?.read()?, &[24_001.0], name)?;
    }
    Ok(())
}

fn extremes<T: Number>(device: &Device, low: &[T], high: &[T]) -> TestResult {
    let greatest = ReductionKernel::new("x: T", "y: T")?.combine("max(a, b)").identity(f32::NEG_INFINITY);
    let least = ReductionKernel::new("x: T", "y: T")?.combine("min(a, b)").identity("inf");
    let none = device.buffer::<T>(0)?;
    same(&greatest.apply::<T>(device, &none)?.read()?, low, "the greatest of none")?;
    same(&least.apply::<T>(device, &none)?.read()?, high, "the least of none")?;
    for length in [1, 300, 65_537] {
        let x = device.buffer_from(&of::<T>(&vec![-3; length]))?;
        same(&greatest.apply::<T>(device, &x)?.read()?, &[T::of(-3)], &format!("the greatest of {length}"))?;
        same(&least.apply::<T>(device, &x)?.read()?, &[T::of(-3)], &format!("the least of {length}"))?;
    }
    Ok(())
}

fn many_results(device: &Device) -> TestResult {
    let (sum, rows) = (sum_kernel()?, (1 << 24) + 3000);
    let x = device.buffer_from(&vec![2u32; rows])?;
    let got = sum.call(device).axis(1).apply::<u32>(shaped(&x, [rows, 1]))?;
    ensure(got.read()?.iter().all(|sum| *sum == 2), || "a sum of one 2 is not 2".to_owned())
}

fn many_elements(device: &Device) -> TestResult {
    let length = (1 << 24) + 5;
    let x = device.buffer_from(&vec![3u32; length])?;
    same(&sum_kernel()?.apply::<u32>(device, &x)?.read()?, &[3 * length as u32], "threes")
}

fn the_same_bits_again(device: &Device) -> TestResult {
    let sum = sum_kernel()?;
    let values: Vec<f32> = (0..300_000).map(|at| (at as f32 * 0.37).sin() * 1e3).collect();
    let x = device.buffer_from(&values)?;
    let first = sum.apply::<f32>(device, &x)?.read()?[0];
    let exact: f64 = values.iter().map(|value| f64::from(*value)).sum();
    ensure((f64::from(first) - exact).abs() < 1.0, || format!("the sum is {first}, wanted {exact}"))?;
    for _ in 0..5 {
        same(&sum.apply::<f32>(device, &x)?.read()?, &[first], "again")?;
    }
    Ok(())
}

/// The sum kernel, for the tests of views.
pub(crate) fn sum_of_views() -> TestResult<ReductionKernel> {
    sum_kernel()
}
