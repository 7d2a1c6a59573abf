//! Elementwise operations: types, values, raw arrays, several outputs, statements, functions.

mod broadcasts;
mod refusals;
mod remedies;
mod slices;
mod views;

use anywarp::Device;
use anywarp::ops::ElementwiseKernel;
use half::f16;

use crate::Case;
use crate::outcome::{TestResult, close, ensure, equal, same};
use crate::whole_numbers::{Number, known, of, whole};

pub(crate) fn cases() -> Vec<Case> {
    let groups = [forms(), broadcasts::cases(), slices::cases(), views::cases(), refusals::cases(), remedies::cases()];
    groups.into_iter().flatten().map(|(name, run)| (format!("elementwise::{name}"), run)).collect()
}

fn forms() -> Vec<Case> {
    vec![
        ("saxpy::f32".to_owned(), saxpy::<f32>),
        ("saxpy::f16".to_owned(), saxpy::<f16>),
        ("saxpy::f64".to_owned(), saxpy::<f64>),
        ("saxpy::i16".to_owned(), saxpy::<i16>),
        ("saxpy::i32".to_owned(), saxpy::<i32>),
        ("saxpy::i64".to_owned(), saxpy::<i64>),
        ("saxpy::u16".to_owned(), saxpy::<u16>),
        ("saxpy::u32".to_owned(), saxpy::<u32>),
        ("saxpy::u64".to_owned(), saxpy::<u64>),
        ("lengths".to_owned(), lengths),
        ("many_groups".to_owned(), many_groups),
        ("in_place".to_owned(), in_place),
        ("several_outputs".to_owned(), several_outputs),
        ("statements".to_owned(), statements),
        ("preamble".to_owned(), preamble),
        ("raw".to_owned(), raw),
        ("raw_output".to_owned(), raw_output),
        ("atomics".to_owned(), atomics),
        ("infinity".to_owned(), infinity),
        ("infinity_in_f16".to_owned(), infinity_in_f16),
        ("number_and_count".to_owned(), number_and_count),
        ("types_side_by_side".to_owned(), types_side_by_side),
        ("vectors".to_owned(), vectors),
        ("not_assigned".to_owned(), not_assigned),
        ("built_in_functions".to_owned(), built_in_functions),
        ("wgsl".to_owned(), wgsl),
    ]
}

/// One kernel works for every type, in its variant for few elements and in its variant for many.
fn saxpy<T: Number>(device: &Device) -> TestResult {
    known::<T>(device)?;
    let saxpy = ElementwiseKernel::new("x: T, y: T, a: T", "z: T", "z = a * x + y")?.name("saxpy");
    for length in [6, 1000, 40_000] {
        let (x, y) = (whole(length, 1), whole(length, 2));
        let wanted: Vec<i32> = x.iter().zip(&y).map(|(x, y)| 3 * x + y).collect();
        let (x, y) = (device.buffer_from(&of::<T>(&x))?, device.buffer_from(&of::<T>(&y))?);
        let z = saxpy.apply::<T>(device, (&x, &y, T::of(3)))?;
        same(&z.read()?, &of::<T>(&wanted), &format!("{length} elements"))?;
    }
    Ok(())
}

/// Results are right for lengths around a workgroup, around four vectors per invocation, and primes.
fn lengths(device: &Device) -> TestResult {
    let add = ElementwiseKernel::new("x: f32, y: f32", "z: f32", "z = 2 * x + y")?.name("add");
    let lengths = [0, 1, 2, 3, 4, 5, 255, 256, 257, 1021, 16_383, 16_384, 16_385, 16_386, 16_387, 65_537, 99_991];
    for length in lengths {
        let (x, y) = (of::<f32>(&whole(length, 3)), of::<f32>(&whole(length, 4)));
        let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.0 * x + y).collect();
        let (x, y) = (device.buffer_from(&x)?, device.buffer_from(&y)?);
        let mut z = device.buffer_from(&vec![-1.0f32; length + 3])?;
        add.run(device, (&x, &y), z.slice_mut(..length))?;
        let got = z.read()?;
        same(&got[..length], &wanted, &format!("{length} elements"))?;
        same(&got[length..], &[-1.0; 3], &format!("behind {length} elements"))?;
    }
    Ok(())
}

/// Results are right for more workgroups than one dimension of a grid allows.
fn many_groups(device: &Device) -> TestResult {
    let length = 65_535 * 256 + 777;
    let mut x = device.buffer::<u32>(length)?;
    ElementwiseKernel::new("", "x: u32", "x = i * 3 + 1")?.run(device, (), &mut x)?;
    let got = x.read()?;
    match got.iter().enumerate().find(|(at, value)| **value != *at as u32 * 3 + 1) {
        None => Ok(()),
        Some((at, value)) => equal(*value, at as u32 * 3 + 1, &format!("element {at}")),
    }
}

fn in_place(device: &Device) -> TestResult {
    let saxpy = ElementwiseKernel::new("x: f32, y: f32, a: f32", "y: f32", "y = a * x + y")?.name("saxpy");
    for length in [1, 300, 20_003] {
        let (x, old) = (of::<f32>(&whole(length, 5)), of::<f32>(&whole(length, 6)));
        let wanted: Vec<f32> = x.iter().zip(&old).map(|(x, y)| 2.0 * x + y).collect();
        let (x, mut y) = (device.buffer_from(&x)?, device.buffer_from(&old)?);
        saxpy.run(device, (&x, 2.0f32), &mut y)?;
        same(&y.read()?, &wanted, &format!("{length} elements"))?;
    }
    Ok(())
}

fn several_outputs(device: &Device) -> TestResult {
    let split = ElementwiseKernel::new("x: f32", "whole: i32, rest: f32", "whole = i32(x); rest = x - floor(x)")?;
    for length in [5, 30_001] {
        let x: Vec<f32> = (0..length).map(|at| at as f32 / 4.0).collect();
        let whole: Vec<i32> = x.iter().map(|x| *x as i32).collect();
        let rest: Vec<f32> = x.iter().map(|x| x.fract()).collect();
        let x = device.buffer_from(&x)?;
        let (got_whole, got_rest) = split.apply::<(i32, f32)>(device, &x)?;
        same(&got_whole.read()?, &whole, "the whole part")?;
        same(&got_rest.read()?, &rest, "the rest")?;
    }
    Ok(())
}

fn statements(device: &Device) -> TestResult {
    let kernel = ElementwiseKernel::new(
        "x: u32",
        "y: u32",
        "var steps = 0u; // Collatz
         var k = x;
         while k > 1u {
             if k % 2u == 0u { k /= 2u; } else { k = 3u * k + 1u; }
             steps++;
         }
         y = steps // how many",
    )?;
    let x = device.buffer_from(&[1u32, 2, 3, 6, 7, 27])?;
    same(&kernel.apply::<u32>(device, &x)?.read()?, &[0, 1, 7, 8, 16, 111], "steps")
}

fn preamble(device: &Device) -> TestResult {
    let kernel = ElementwiseKernel::new("x: T", "y: T", "y = poly(x)")?.preamble(
        "const C: array<T, 3> = array<T, 3>(1, 2, 3);\nfn poly(x: T) -> T { return C[0] + x * (C[1] + x * C[2]); }",
    );
    let x = device.buffer_from(&[0.0f32, 1.0, 2.0])?;
    same(&kernel.apply::<f32>(device, &x)?.read()?, &[1.0, 6.0, 17.0], "f32")?;
    let x = device.buffer_from(&[0i32, 1, 2])?;
    same(&kernel.apply::<i32>(device, &x)?.read()?, &[1, 6, 17], "i32")
}

/// A raw array can be read at any index, as for neighbours of an element and a table.
fn raw(device: &Device) -> TestResult {
    let differences = ElementwiseKernel::new("raw x: f32", "y: f32", "y = x[(i + 1u) % n] - x[i]")?;
    let x = device.buffer_from(&[1.0f32, 4.0, 9.0, 16.0])?;
    let mut y = device.buffer::<f32>(4)?;
    differences.run(device, &x, &mut y)?;
    same(&y.read()?, &[3.0, 5.0, 7.0, -15.0], "differences")?;
    let look_up = ElementwiseKernel::new("at: u32, raw table: f32", "y: f32", "y = table[at]")?;
    let at: Vec<u32> = (0..20_001).map(|at| at % 4).collect();
    let wanted: Vec<f32> = at.iter().map(|at| (*at as f32 + 1.0).powi(2)).collect();
    let at = device.buffer_from(&at)?;
    same(&look_up.apply::<f32>(device, (&at, &x))?.read()?, &wanted, "a table")
}

fn raw_output(device: &Device) -> TestResult {
    let reverse = ElementwiseKernel::new("raw x: u32", "raw y: u32", "y[n - 1u - i] = x[i];")?.name("reverse");
    let x = device.buffer_from(&[1u32, 2, 3, 4, 5])?;
    let mut y = device.buffer_from(&[9u32; 6])?;
    reverse.call(device).size(5).run(&x, &mut y)?;
    same(&y.read()?, &[5, 4, 3, 2, 1, 9], "reversed")?;
    reverse.call(device).size(0).run(&x, &mut y)?;
    same(&y.read()?, &[5, 4, 3, 2, 1, 9], "no elements")
}

/// Kernels can count, and find the greatest of each key, by atomics.
fn atomics(device: &Device) -> TestResult {
    let values: Vec<u32> = (0..20_000u32).map(|at| at.wrapping_mul(2_654_435_761) >> 24).collect();
    let keys = device.buffer_from(&values)?;
    let mut counts = device.buffer::<u32>(256)?;
    let bincount = ElementwiseKernel::new("key: u32", "raw counts: atomic<u32>", "atomicAdd(&counts[key], 1u)")?;
    bincount.run(device, &keys, &mut counts)?;
    let mut wanted = vec![0u32; 256];
    values.iter().for_each(|key| wanted[*key as usize] += 1);
    same(&counts.read()?, &wanted, "counts")?;
    bincount.run(device, &keys, &mut counts)?;
    same(&counts.read()?, &wanted.iter().map(|count| 2 * count).collect::<Vec<_>>(), "counts go on")?;

    let mut last = device.buffer_from(&[-1i32; 256])?;
    let of = ElementwiseKernel::new(
        "key: u32",
        "last: i32, raw all: atomic<i32>",
        "last = i32(i); atomicMax(&all[key], last)",
    );
    let mut numbers = device.buffer::<i32>(values.len())?;
    of?.run(device, &keys, (&mut numbers, &mut last))?;
    let mut wanted = vec![-1i32; 256];
    (0..).zip(&values).for_each(|(at, key)| wanted[*key as usize] = at);
    same(&last.read()?, &wanted, "the last element of each key")?;
    same(&numbers.slice(..3).read()?, &[0, 1, 2], "an output beside it")
}

/// `inf` is infinity in an operation, for short arrays, for vectors and their tail, and for views.
fn infinity(device: &Device) -> TestResult {
    let clip = ElementwiseKernel::new("x: f32", "y: f32, z: u32", "y = select(x, -inf, x > 2); z = u32(x < inf)")?;
    for length in [5usize, 1 << 14, (1 << 14) + 3] {
        let mut values: Vec<f32> = (0..length).map(|at| (at % 5) as f32).collect();
        values[length - 1] = f32::INFINITY;
        let x = device.buffer_from(&values)?;
        let (y, z) = clip.apply::<(f32, u32)>(device, &x)?;
        let wanted: Vec<f32> = values.iter().map(|x| if *x > 2.0 { f32::NEG_INFINITY } else { *x }).collect();
        same(&y.read()?, &wanted, "y")?;
        same(&z.read()?, &values.iter().map(|x| u32::from(*x < f32::INFINITY)).collect::<Vec<_>>(), "z")?;
        let backwards = clip.apply::<(f32, u32)>(device, anywarp::ops::shaped(&x, [2, 2]).strides([1, 2]))?;
        same(&backwards.0.read()?, &[wanted[0], wanted[2], wanted[1], wanted[3]], "a view")?;
    }
    let own = ElementwiseKernel::new("x: f32", "y: f32", "let inf = 3.0; y = inf + x")?;
    same(&own.apply::<f32>(device, &device.buffer::<f32>(2)?)?.read()?, &[3.0, 3.0], "a name of the caller's")?;
    let own = ElementwiseKernel::new("inf: f32", "y: f32", "y = inf")?;
    same(&own.apply::<f32>(device, &device.buffer_from(&[4.0f32])?)?.read()?, &[4.0], "a parameter of the caller's")
}

fn infinity_in_f16(device: &Device) -> TestResult {
    known::<f16>(device)?;
    let x = device.buffer_from(&[f16::ONE, f16::INFINITY])?;
    let y = ElementwiseKernel::new("x: T", "y: T", "y = select(inf, x, x < inf)")?.apply::<f16>(device, &x)?;
    same(&y.read()?, &[f16::ONE, f16::INFINITY], "y")?;
    let finite = ElementwiseKernel::new("x: f16", "y: u32", "y = u32(x < inf)")?.apply::<u32>(device, &x)?;
    same(&finite.read()?, &[1, 0], "finite")
}

fn number_and_count(device: &Device) -> TestResult {
    let kernel = ElementwiseKernel::new("", "y: u32", "y = 1000000 * n + i")?;
    for length in [3usize, 257, 16_384, 20_002] {
        let mut y = device.buffer::<u32>(length)?;
        kernel.run(device, (), &mut y)?;
        let wanted: Vec<u32> =
            (0..length as u32).map(|at| (1_000_000u32.wrapping_mul(length as u32)).wrapping_add(at)).collect();
        same(&y.read()?, &wanted, &format!("{length} elements"))?;
    }
    Ok(())
}

/// Each call binds the type letters anew; other parameters keep their types.
fn types_side_by_side(device: &Device) -> TestResult {
    let scale = ElementwiseKernel::new("x: T, by: U, s: f32", "y: U, z: f32", "y = U(x) * by; z = f32(x) * s")?;
    let x = device.buffer_from(&[1i32, 2, 3])?;
    let (y, z) = scale.apply::<(f32, f32)>(device, (&x, 0.5f32, 4.0f32))?;
    same(&y.read()?, &[0.5, 1.0, 1.5], "U = f32")?;
    same(&z.read()?, &[4.0, 8.0, 12.0], "z")?;
    let (y, _) = scale.apply::<(u32, f32)>(device, (&x, 7u32, 4.0f32))?;
    same(&y.read()?, &[7, 14, 21], "U = u32")
}

fn vectors(device: &Device) -> TestResult {
    let dots = ElementwiseKernel::new("x: vec4<f32>, a: vec4<f32>", "y: f32, z: vec2<f32>", "y = dot(x, a); z = x.wz")?;
    let x: Vec<[f32; 4]> = (0..600).map(|at| [at as f32, 1.0, 2.0, 3.0]).collect();
    let wanted: Vec<f32> = (0..600).map(|at| at as f32 * 2.0 + 8.0).collect();
    let x = device.buffer_from(&x)?;
    let (y, z) = dots.apply::<(f32, [f32; 2])>(device, (&x, [2.0f32, 1.0, 2.0, 1.0]))?;
    same(&y.read()?, &wanted, "dot products")?;
    same(&z.read()?, &[[3.0f32, 2.0]; 600], "swizzled")
}

/// An array in both lists keeps its values where the operation does not assign it.
fn not_assigned(device: &Device) -> TestResult {
    let positive = ElementwiseKernel::new("x: f32, y: f32", "y: f32", "if x > 0 { y = x; }")?;
    let x = device.buffer_from(&[-1.0f32, 2.0, -3.0])?;
    let mut y = device.buffer_from(&[9.0f32; 3])?;
    positive.run(device, &x, &mut y)?;
    same(&y.read()?, &[9.0, 2.0, 9.0], "the earlier elements")
}

fn built_in_functions(device: &Device) -> TestResult {
    let squash = ElementwiseKernel::new("x: f32", "y: f32", "y = tanh(x) * 2.0 + 1.0")?;
    let x: Vec<f32> = (0..20_000).map(|at| (at as f32 - 1e4) / 3000.0).collect();
    let wanted: Vec<f32> = x.iter().map(|x| x.tanh() * 2.0 + 1.0).collect();
    let x = device.buffer_from(&x)?;
    close(&squash.apply::<f32>(device, &x)?.read()?, &wanted, 1e-4, "tanh")
}

fn wgsl(device: &Device) -> TestResult {
    let saxpy = ElementwiseKernel::new("x: T, a: T", "z: T", "z = a * x")?.name("scale");
    let x = device.buffer::<f32>(8)?;
    let mut z = device.buffer::<f32>(8)?;
    let text = saxpy.call(device).wgsl((&x, 2.0f32), &mut z)?;
    for line in ["// elementwise scale: (x: T, a: T) -> (z: T)", "alias T = f32;", "\nz = a * x;\n"] {
        ensure(text.contains(line), || format!("there is no '{line}' in\n{text}"))?;
    }
    Ok(())
}
