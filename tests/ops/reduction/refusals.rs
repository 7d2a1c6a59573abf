//! Refused reductions and their errors.

use anywarp::Device;
use anywarp::ops::{OperationError, ReductionKernel, shaped};

use crate::outcome::{TestResult, refused};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("declarations", reductions),
        ("axes", axes),
        ("outputs", outputs),
        ("wgsl", expressions),
        ("finish_without_a_value", finish_without_a_value),
    ];
    cases.into_iter().map(|(name, case)| (format!("refusals::{name}"), case)).collect()
}

fn finish_without_a_value(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Text { .. });
    let x = device.buffer::<f32>(6)?;
    let sum = |finish| Ok::<_, OperationError>(sum_of("x: f32", "y: f32")?.finish(finish).name("bad"));
    let apply = |kernel: ReductionKernel| kernel.apply::<f32>(device, &x).map(|_| ());
    refused(apply(sum("y += a")?), is, &["reduction bad: the finish reads the output `y`", "assign it first"])?;
    refused(apply(sum("if a > 0 { y = a; }")?), is, &["the finish assigns the output `y` on some paths only"])?;
    let pair = sum_of("x: vec2<f32>", "y: vec2<f32>")?.finish("y.x = a.x;").name("bad");
    let x = device.buffer::<[f32; 2]>(6)?;
    refused(pair.apply::<[f32; 2]>(device, &x).map(|_| ()), is, &["on some paths only"])
}

fn sum_of(input: &str, output: &str) -> Result<ReductionKernel, OperationError> {
    Ok(ReductionKernel::new(input, output)?.combine("a + b").identity(if input.contains("vec2") {
        "vec2f()"
    } else {
        "0"
    }))
}

fn reductions(device: &Device) -> TestResult {
    let text = |error: &OperationError| matches!(error, OperationError::Text { .. });
    let new = ReductionKernel::new;
    refused(new("x: f32", "y: f32, z: f32"), text, &["the output is `y: f32, z: f32`"])?;
    refused(new("x: f32", "raw y: f32"), text, &["the output", "not raw"])?;
    refused(new("x: f32", "x: f32"), text, &["needs a separate output"])?;
    let x = device.buffer::<f32>(6)?;
    let used = |kernel: ReductionKernel| kernel.name("bad").apply::<f32>(device, &x).map(|_| ());
    let one = || new("x: f32", "y: f32");
    refused(used(one()?.combine("a + b").identity("0").map("")), text, &["reduction bad: map is missing"])?;
    refused(used(one()?.combine(" ").identity("0")), text, &["combine is missing", ".combine(\"a + b\")"])?;
    refused(used(one()?.combine("a + b")), text, &["identity is missing", ".identity(\"0\")"])?;
    let two = new("x: f32, y: f32", "z: f32")?.combine("a + b").identity("0");
    refused(two.apply::<f32>(device, (&x, &x)).map(|_| ()), text, &["map is missing", ".map(\"x * y\")"])?;
    let raw = new("raw x: f32", "z: f32")?.combine("a + b").identity("0");
    refused(raw.apply::<f32>(device, &x).map(|_| ()), text, &["map is missing"])
}

fn sum() -> TestResult<ReductionKernel> {
    Ok(ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum"))
}

fn axes(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    let (x, sum) = (device.buffer::<f32>(6)?, sum()?);
    let apply = |axes: &[usize]| sum.call(device).axes(axes).apply::<f32>(shaped(&x, [2, 3])).map(|_| ());
    refused(apply(&[2]), is, &["reduction sum: axis 2 is out of range for the shape [2, 3]"])?;
    refused(apply(&[0, 0]), is, &["axis 0 is given twice for the shape [2, 3]"])?;
    let (none, large) =
        (device.buffer::<f32>(0)?, |error: &OperationError| matches!(error, OperationError::TooLarge { .. }));
    let results = sum.call(device).axis(0).apply::<f32>(shaped(&none, [0, usize::MAX, 2]));
    refused(results.map(|_| ()), large, &["reduction sum: the result has the shape [18446744073709551615, 2]"])
}

fn outputs(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Output { .. });
    let (x, sum) = (device.buffer::<f32>(6)?, sum()?);
    let mut y = device.buffer::<f32>(3)?;
    refused(sum.run(device, &x, &mut y), is, &["reduction sum: the result has the shape []", "'y' has [3]"])?;
    let rows = sum.call(device).axis(1).run(shaped(&x, [2, 3]), &mut y);
    refused(rows, is, &["has the shape [2]", "'y' has [3]"])?;
    let turned = sum.call(device).axis(0).run(shaped(&x, [2, 3]), shaped(&mut y, [3, 1]));
    refused(turned, is, &["has the shape [3]", "'y' has [3, 1]"])
}

fn expressions(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    let x = device.buffer::<f32>(6)?;
    for (at, part) in ["map", "combine", "finish", "identity"].into_iter().enumerate() {
        let mut texts = ["x", "a + b", "a", "0"];
        texts[at] = "  wrong";
        let [map, combine, finish, identity] = texts;
        let kernel =
            ReductionKernel::new("x: f32", "y: f32")?.map(map).combine(combine).finish(finish).identity(identity);
        let kernel = kernel.name("bad");
        let place = format!("reduction bad, {part}:1:3");
        refused(kernel.apply::<f32>(device, &x).map(|_| ()), is, &[&place, "1 │   wrong"])?;
    }
    Ok(())
}
