//! Full texts of errors: they name the argument as the caller does, and the remedy.

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, OperationError, ReductionKernel, shaped};

use crate::outcome::{TestResult, equal, fail};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("in_both_lists", in_both_lists),
        ("guards", guards),
        ("columns", columns),
        ("axes", axes),
        ("lines", lines),
        ("atomics", atomics),
    ];
    cases.into_iter().map(|(name, case)| (format!("remedies::{name}"), case)).collect()
}

/// Checks that `result` is an error with this text.
#[track_caller]
fn says<T>(result: Result<T, OperationError>, wanted: &str) -> TestResult {
    match result {
        Ok(_) => fail(format!("no error; wanted {wanted:?}")),
        Err(error) => equal(error.to_string().as_str(), wanted, "the message"),
    }
}

fn in_both_lists(device: &Device) -> TestResult {
    let (x, mut y, mut z) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
    let double = ElementwiseKernel::new("y: f32", "y: f32", "y *= 2")?.name("double");
    says(
        double.run(device, &x, &mut y),
        "elementwise double: expected no inputs, got 1; 'y' is both an input and an output: pass it once, \
         as an output, and pass `()` as the inputs",
    )?;
    let add = ElementwiseKernel::new("x: f32, y: f32", "y: f32", "y += x")?.name("add");
    says(
        add.run(device, (&x, &x), &mut y),
        "elementwise add: expected 1 input (x: f32), got 2; 'y' is both an input and an output: pass it once, as an \
         output",
    )?;
    let two = ElementwiseKernel::new("y: f32, z: f32", "y: f32, z: f32", "y = z; z = 0")?.name("two");
    says(
        two.run(device, (&x, &x), (&mut y, &mut z)),
        "elementwise two: expected no inputs, got 2; 'y', 'z' are both inputs and outputs: pass each once, \
         as an output, and pass `()` as the inputs",
    )?;
    says(add.run(device, &x, (&mut y, &mut z)), "elementwise add: expected 1 output (y: f32), got 2")
}

fn guards(device: &Device) -> TestResult {
    // The length is that of whole vectors and a tail.
    let x = device.buffer::<f32>((1 << 14) + 3)?;
    let copy = ElementwiseKernel::new("x: f32", "y: f32", "y = x")?.name("copy");
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    let reading = x.slice(..4).read()?;
    says(copy.apply::<f32>(device, &x), "elementwise copy: 'x' is in use by a ReadGuard; drop the guard first")?;
    says(sum.apply::<f32>(device, &x), "reduction sum: 'x' is in use by a ReadGuard; drop the guard first")?;
    drop(reading);
    copy.apply::<f32>(device, &x)?;
    sum.apply::<f32>(device, &x)?;
    Ok(())
}

fn columns(device: &Device) -> TestResult {
    let (x, m) = (device.buffer::<f32>(6)?, device.buffer::<f32>(3)?);
    let minus = ElementwiseKernel::new("x: f32, m: f32", "y: f32", "y = x - m")?.name("minus");
    let common = "cannot be broadcast to the shape";
    let rule = "of the arguments before it; counted from the last dimension, sizes must be equal or 1";
    says(
        minus.apply::<f32>(device, (shaped(&x, [3, 2]), &m)),
        &format!(
            "elementwise minus: 'm' of shape [3] {common} [3, 2] {rule}; for one value per row: `shaped(&m, [3, 1])`"
        ),
    )?;
    says(
        minus.apply::<f32>(device, (shaped(&x, [1, 3, 2]), &m)),
        &format!(
            "elementwise minus: 'm' of shape [3] {common} [1, 3, 2] {rule}; for one value per index of axis 1: \
             `shaped(&m, [3, 1])`"
        ),
    )?;
    says(
        minus.apply::<f32>(device, (shaped(&m, [1, 3]), x.slice(..2))),
        &format!("elementwise minus: 'm' of shape [2] {common} [1, 3] {rule}"),
    )
}

fn axes(device: &Device) -> TestResult {
    let x = device.buffer::<f32>(6)?;
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    says(
        sum.call(device).axis(1).apply::<f32>(&x),
        "reduction sum: axis 1 is out of range for the shape [6]; give an argument a shape first: `shaped(&x, [rows, columns])`",
    )?;
    says(
        sum.call(device).axis(2).apply::<f32>(shaped(&x, [2, 3])),
        "reduction sum: axis 2 is out of range for the shape [2, 3]",
    )
}

/// Kernels without a name are named after their line.
fn lines(device: &Device) -> TestResult {
    let x = device.buffer::<f32>(6)?;
    let (line, copy) = (line!(), ElementwiseKernel::new("x: f32", "y: f32", "y = x")?);
    says(
        copy.apply::<f32>(device, ()),
        &format!("elementwise kernel ({}:{line}): expected 1 input (x: f32), got 0", file!()),
    )?;
    let (line, sum) = (line!(), ReductionKernel::new("x: f32", "y: f32")?.combine("a + b"));
    says(
        sum.apply::<f32>(device, &x),
        &format!(
            "reduction kernel ({}:{line}): identity is missing; set the neutral element, as in `.identity(\"0\")`",
            file!()
        ),
    )
}

fn atomics(device: &Device) -> TestResult {
    let name = |line: u32| format!("elementwise kernel ({}:{line})", file!());
    let (line, input) = (line!(), ElementwiseKernel::new("raw x: atomic<u32>", "y: u32", "y = 1u"));
    says(
        input,
        &format!(
            "{}: parameter `raw x: atomic<u32>`: only an output can be atomic; put it in the list of outputs",
            name(line)
        ),
    )?;
    let (x, mut counts) = (device.buffer::<u32>(4)?, device.buffer::<u32>(4)?);
    let unused = ElementwiseKernel::new("x: u32", "raw counts: atomic<u32>", "let y = x")?.name("unused");
    says(
        unused.run(device, &x, &mut counts),
        "elementwise unused: the operation never assigns the output `counts`; write `atomicAdd(&counts[i], ..)`, or remove \
         `raw counts: atomic<u32>` from the list of outputs",
    )
}
