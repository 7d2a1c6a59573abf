//! Refused operations and their errors.

use anywarp::ops::{ElementwiseKernel, OperationError, shaped};
use anywarp::{Device, Error, ErrorClass};

use crate::outcome::{TestResult, equal, refused, same};
use crate::{Case, Unnamed};

pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Unnamed> = vec![
        ("declarations", declarations),
        ("counts", counts),
        ("types", types),
        ("shapes", shapes),
        ("sizes", sizes),
        ("allocation", allocation),
        ("slices_outside", slices_outside),
        ("other_devices", other_devices),
        ("guards", guards),
        ("too_large", too_large),
        ("wgsl", wgsl),
        ("outputs_without_a_value", outputs_without_a_value),
    ];
    cases.into_iter().map(|(name, case)| (format!("refusals::{name}"), case)).collect()
}

fn add() -> TestResult<ElementwiseKernel> {
    Ok(ElementwiseKernel::new("x: f32, y: f32", "z: f32", "z = x + y")?.name("add"))
}

fn declarations(_: &Device) -> TestResult {
    let parameter = |error: &OperationError| matches!(error, OperationError::Parameter { .. });
    let text = |error: &OperationError| matches!(error, OperationError::Text { .. });
    let new = ElementwiseKernel::new;
    refused(new("x: float", "y: f32", "y = x"), parameter, &["`x: float`", "not one of f32, f16"])?;
    refused(new("x f32", "y: f32", "y = x"), parameter, &["`x f32`", "`name: type`"])?;
    refused(new("x: f32, x: f32", "y: f32", "y = x"), parameter, &["two parameters named 'x'"])?;
    refused(new("i: f32", "y: f32", "y = i"), parameter, &["'i' has a meaning"])?;
    refused(new("x: f32, n: u32", "y: f32", "y = x"), parameter, &["`n: u32`", "`n` is the number of elements"])?;
    refused(new("y: i32", "y: f32", "y = y"), parameter, &["`y: i32`", "the outputs declare it as `y: f32`"])?;
    refused(new("x: f32", "", "y = x"), text, &["the list of outputs is empty"])?;
    refused(new("x: f32", "y: f32", " "), text, &["the operation is empty"])
}

fn counts(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Count { .. });
    let (x, mut z) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
    refused(add()?.run(device, &x, &mut z), is, &["elementwise add: expected 2 inputs (x: f32, y: f32), got 1"])?;
    refused(add()?.run(device, (&x, &x), ()), is, &["expected 1 output (z: f32), got 0"])?;
    refused(add()?.apply::<(f32, f32)>(device, (&x, &x)).map(|_| ()), is, &["expected 1 output (z: f32), got 2"])
}

fn types(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Type { .. });
    let (x, k, odd) = (device.buffer::<f32>(3)?, device.buffer::<i32>(3)?, device.buffer::<[f32; 3]>(3)?);
    let mut z = device.buffer::<f32>(3)?;
    let message = "elementwise add: 'y': expected f32, got an array of i32";
    refused(add()?.run(device, (&x, &k), &mut z), is, &[message])?;
    refused(add()?.run(device, (&x, 1i32), &mut z), is, &["'y': expected f32, got a value of i32"])?;
    refused(add()?.run(device, (&x, &odd), &mut z), is, &["'y': expected f32", "[f32; 3]"])?;
    let any = ElementwiseKernel::new("x: T, y: T", "z: T", "z = x + y")?.name("any");
    refused(
        any.run(device, (&x, 2.0f64), &mut z),
        is,
        &["'y': expected T, which is f32 because of 'x', got a value of f64"],
    )?;
    refused(
        any.run(device, (&k, &k), &mut z),
        is,
        &["'z': expected T, which is i32 because of 'x', got an array of f32"],
    )?;
    refused(any.run(device, (&odd, &odd), &mut z), is, &["'x': expected T, which is one of f32"])?;
    let raw = ElementwiseKernel::new("raw x: f32", "z: f32", "z = x[i]")?;
    refused(raw.run(device, 1.0f32, &mut z), is, &["'x': expected a raw array of f32", "a value of f32"])?;
    let class = Error::from(any.run(device, (&x, 2.0f64), &mut z).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")
}

fn shapes(device: &Device) -> TestResult {
    let (x, y) = (device.buffer::<f32>(6)?, device.buffer::<f32>(4)?);
    let mut z = device.buffer_from(&[5.0f32; 6])?;
    let broadcast = |error: &OperationError| matches!(error, OperationError::Broadcast { .. });
    let shape = |error: &OperationError| matches!(error, OperationError::Length { .. });
    let output = |error: &OperationError| matches!(error, OperationError::Output { .. });
    refused(
        add()?.run(device, (&x, &y), &mut z),
        broadcast,
        &["'y' of shape [4] cannot be broadcast to the shape [6]"],
    )?;
    let rows = shaped(&x, [2, 3]);
    refused(add()?.run(device, (rows, &y), &mut z), broadcast, &["'y' of shape [4]", "[2, 3]"])?;
    let wrong = shaped(&x, [2, 4]);
    refused(add()?.run(device, (wrong, &y), &mut z), shape, &["'x'", "has 6 elements, but the shape [2, 4] needs 8"])?;
    let huge = shaped(&x, [usize::MAX, 2]);
    refused(add()?.run(device, (huge, &y), &mut z), shape, &["'x' has 6 elements"])?;
    refused(add()?.run(device, (&x, &x), z.slice_mut(..1)), output, &["has the shape [6]", "'z' has [1]"])?;
    refused(add()?.run(device, (&x, &x), z.slice_mut(..4)), broadcast, &["'z' of shape [4]"])?;
    same(&z.read()?, &[5.0; 6], "nothing has run")
}

fn sizes(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Size { .. });
    let x = device.buffer::<f32>(3)?;
    let mut z = device.buffer::<f32>(3)?;
    let raw = ElementwiseKernel::new("raw x: f32", "raw z: f32", "z[i] = x[i]")?;
    refused(raw.run(device, &x, &mut z), is, &["set it with `size`"])?;
    refused(add()?.call(device).size(3).run((&x, &x), &mut z), is, &["omit `size`"])?;
    refused(add()?.apply::<f32>(device, (1.0f32, 2.0f32)).map(|_| ()), is, &["set it with `size`"])?;
    let filled = add()?.call(device).size(2).apply::<f32>((1.0f32, 2.0f32));
    refused(filled.map(|_| ()), is, &["omit `size`"])
}

fn allocation(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::NotAllocated { .. });
    let x = device.buffer::<f32>(3)?;
    let in_place = ElementwiseKernel::new("y: f32", "y: f32", "y = -y")?;
    refused(in_place.apply::<f32>(device, ()).map(|_| ()), is, &["'y' is changed in place; call `run`"])?;
    let raw = ElementwiseKernel::new("x: f32", "raw y: f32", "y[i] = x")?;
    refused(raw.apply::<f32>(device, &x).map(|_| ()), is, &["'y' is raw"])
}

fn slices_outside(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    let x = device.buffer::<f32>(3)?;
    let mut z = device.buffer::<f32>(3)?;
    refused(add()?.run(device, (&x, x.slice(1..5)), &mut z), is, &["'y'", "1..5", "3 elements"])?;
    refused(add()?.run(device, (&x, &x), z.slice_mut(9..)), is, &["'z'", "9..3"])
}

fn other_devices(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    let other = device.reopen()?;
    let (here, there) = (device.buffer::<f32>(4)?, other.buffer::<f32>(4)?);
    let mut z = device.buffer::<f32>(4)?;
    refused(add()?.run(device, (&here, &there), &mut z), is, &["elementwise add runs on", "'y' belongs to"])?;
    let mut recording = other.recording();
    let call = add()?;
    refused(call.call(device).record(&mut recording).run((&here, &here), &mut z), is, &["the recording belongs to"])
}

fn guards(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let x = device.buffer::<f32>(4)?;
    let mut z = device.buffer::<f32>(4)?;
    let reading = x.read()?;
    let result = add()?.run(device, (&x, &x), &mut z);
    refused(result.clone(), is, &["elementwise add: 'x' is in use by a ReadGuard"])?;
    equal(result.map_err(|error| Error::from(error).class()), Err(ErrorClass::Retryable), "class")?;
    drop(reading);
    Ok(add()?.run(device, (&x, &x), &mut z)?)
}

fn too_large(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    let x = device.buffer::<f32>(1 << 17)?;
    let tall = shaped(&x, [1 << 17, 1]);
    refused(add()?.apply::<f32>(device, (tall, &x)).map(|_| ()), is, &["[131072, 131072]", "split the work"])
}

/// Errors quote the line of the caller's text that is wrong.
fn wgsl(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    let x = device.buffer::<f32>(4)?;
    let call = |kernel: ElementwiseKernel| kernel.apply::<f32>(device, (&x, 1.0f32)).map(|_| ());
    let bad =
        |operation| ElementwiseKernel::new("x: f32, a: f32", "z: f32", operation).map(|kernel| kernel.name("bad"));
    refused(call(bad("z = aa * x")?), is, &["elementwise bad:1:5", "1 │ z = aa * x", "│     ^^", "'aa'"])?;
    refused(call(bad("let t = x;\nz = t +* a")?), is, &["elementwise bad:2:8", "2 │ z = t +* a"])?;
    refused(
        call(bad("z = half(x)")?.preamble("const ONE = 1;\nfn half(x: f32) -> f32 { return y; }")),
        is,
        &["elementwise bad, preamble:2:33", "2 │ fn half(x: f32)"],
    )
}

fn outputs_without_a_value(device: &Device) -> TestResult {
    let is = |error: &OperationError| matches!(error, OperationError::Text { .. });
    let x = device.buffer_from(&vec![1.0f32; 1 << 15])?;
    let mut y = device.buffer_from(&vec![2.0f32; 1 << 15])?;
    let new = |operation| ElementwiseKernel::new("x: T", "y: T", operation).map(|kernel| kernel.name("bad"));
    let words =
        ["elementwise bad: the operation reads the output `y`", "put `y: T` in both lists", "bad:1:1", "y = y + x"];
    refused(new("y = y + x")?.run(device, &x, &mut y), is, &words)?;
    refused(new("let t = x;")?.run(device, &x, &mut y), is, &["never assigns the output `y`; write `y = ..`"])?;
    let words = ["on some paths only", "put `y: T` in both lists"];
    refused(new("if x > 2 { y = x; }")?.apply::<f32>(device, &x).map(|_| ()), is, &words)?;
    let raw = ElementwiseKernel::new("x: f32", "raw y: f32", "let t = x")?;
    refused(raw.run(device, &x, &mut y), is, &["never assigns the output `y`; write `y[i] = ..`"])?;
    let two = ElementwiseKernel::new("x: f32", "y: f32, z: f32", "y = x")?;
    refused(two.apply::<(f32, f32)>(device, &x).map(|_| ()), is, &["never assigns the output `z`"])?;
    same(&y.slice(..3).read()?, &[2.0; 3], "nothing has run")?;
    // The statements that the errors suggest are accepted.
    ElementwiseKernel::new("x: T, y: T", "y: T", "if x < 2 { y += x; }")?.run(device, &x, &mut y)?;
    same(&y.slice(..3).read()?, &[3.0; 3], "in place")
}
