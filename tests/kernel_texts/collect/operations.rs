//! Operations whose kernels are generated when they are called.

use anywarp::ops::{ElementwiseKernel, MatmulElement, ReductionKernel, matmul, shaped};
use anywarp::{Device, Element, Result};
use half::{bf16, f16};

use super::Run;

type Operation = (&'static str, fn(&Device) -> Result<()>);

const OPERATIONS: &[Operation] = &[
    ("matmul_f32", product::<f32>),
    ("matmul_f16", product::<f16>),
    ("matmul_bf16", product::<bf16>),
    ("saxpy_f32", saxpy::<f32>),
    ("saxpy_f16", saxpy::<f16>),
    ("saxpy_f64", saxpy::<f64>),
    ("saxpy_i16", saxpy::<i16>),
    ("saxpy_i32", saxpy::<i32>),
    ("saxpy_i64", saxpy::<i64>),
    ("saxpy_u16", saxpy::<u16>),
    ("saxpy_u32", saxpy::<u32>),
    ("saxpy_u64", saxpy::<u64>),
    ("broadcast", broadcast),
    ("sum_f32", sum::<f32>),
    ("sum_f16", sum::<f16>),
    ("sum_i32", sum::<i32>),
    ("sum_u64", sum::<u64>),
    ("sum_of_rows_and_columns", sum_of_axes),
];

/// The operations as functions that run on a device.
pub(crate) fn runs() -> Vec<Run> {
    let run = |&(name, run): &Operation| -> Run {
        // The suite `ops` checks the results.
        (format!("ops::{name}"), Box::new(move |device| drop(run(device))))
    };
    OPERATIONS.iter().map(run).collect()
}

fn product<T: MatmulElement>(device: &Device) -> Result<()> {
    let (a, b) = (device.buffer::<T>(64 * 64)?, device.buffer::<T>(64 * 64)?);
    let mut c = device.buffer::<T>(64 * 64)?;
    Ok(matmul(&a, &b, &mut c, [64, 64, 64])?)
}

/// Compiles the kernel in its form for a few elements and in its form for many.
fn saxpy<T: Element>(device: &Device) -> Result<()> {
    let saxpy = ElementwiseKernel::new("x: T, y: T, a: T", "z: T", "z = a * x + y")?.name("saxpy");
    for length in [7, 40_000] {
        let (x, y, a) = (device.buffer::<T>(length)?, device.buffer::<T>(length)?, device.buffer::<T>(1)?);
        let mut z = device.buffer::<T>(length)?;
        saxpy.run(device, (&x, &y, &a), &mut z)?;
    }
    Ok(())
}

fn broadcast(device: &Device) -> Result<()> {
    let (rows, columns) = (device.buffer::<f32>(30)?, device.buffer::<f32>(50)?);
    let outer = ElementwiseKernel::new("x: f32, y: f32", "z: f32", "z = x * y")?.name("outer");
    outer.apply::<f32>(device, (shaped(&rows, [30, 1]), shaped(&columns, [1, 50])))?;
    Ok(())
}

/// Compiles a sum in one pass and one in two passes.
fn sum<T: Element>(device: &Device) -> Result<()> {
    let sum = ReductionKernel::new("x: T", "y: T")?.combine("a + b").finish("y = a").identity("0").name("sum");
    for length in [100, 1 << 20] {
        let (x, mut y) = (device.buffer::<T>(length)?, device.buffer::<T>(1)?);
        sum.run(device, &x, &mut y)?;
    }
    Ok(())
}

fn sum_of_axes(device: &Device) -> Result<()> {
    let x = device.buffer::<f32>(300 * 400)?;
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").finish("y = a").identity("0").name("sum");
    for axis in [0, 1] {
        sum.call(device).axis(axis).apply::<f32>(shaped(&x, [300, 400]))?;
    }
    Ok(())
}
