//! Products that are refused before anything runs.

use anywarp::ops::{Matmul, OperationError, Precision, matmul};
use anywarp::{Device, Error, ErrorClass};
use half::f16;

use crate::Case;
use crate::outcome::{TestResult, equal, refused, same};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("refusals::lengths".to_owned(), lengths),
        ("refusals::slices_outside".to_owned(), slices_outside),
        ("refusals::precisions".to_owned(), precisions),
        ("refusals::too_large".to_owned(), too_large),
        ("refusals::guards".to_owned(), guards),
        ("refusals::other_devices".to_owned(), other_devices),
    ]
}

fn lengths(device: &Device) -> TestResult {
    let (six, four) = (device.buffer::<f32>(6)?, device.buffer::<f32>(4)?);
    let mut c = device.buffer_from(&[5.0f32; 6])?;
    let is = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(
        matmul(&four, &four, &mut c, [3, 2, 2]),
        is,
        &["matrix product: 'a' has 4 elements, but the shape [3, 2] needs 6"],
    )?;
    refused(matmul(&six, &six, &mut c, [3, 2, 2]), is, &["'b' has 6 elements, but the shape [2, 2] needs 4"])?;
    refused(
        matmul(&six, &four, c.slice_mut(1..), [3, 2, 2]),
        is,
        &["'c' has 5 elements, but the shape [3, 2] needs 6"],
    )?;
    refused(matmul(&six, &four, &mut c, [0, 2, 2]), is, &["'a' has 6 elements, but the shape [0, 2] needs 0"])?;
    let class = Error::from(matmul(&four, &four, &mut c, [3, 2, 2]).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&c.read()?, &[5.0; 6], "nothing has run")
}

fn slices_outside(device: &Device) -> TestResult {
    let (a, mut c) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
    let is = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(matmul(a.slice(1..5), &a, &mut c, [2, 2, 2]), is, &["matrix product: 'a': ", "1..5", "4 elements"])?;
    refused(matmul(&a, &a, c.slice_mut(9..), [2, 2, 2]), is, &["'c': ", "9..4"])
}

fn precisions(device: &Device) -> TestResult {
    let (a, mut c) = (device.buffer::<f16>(4)?, device.buffer::<f16>(4)?);
    let is = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let tf32 = Matmul::new([2, 2, 2]).precision(Precision::Tf32);
    refused(tf32.run(&a, &a, &mut c), is, &["tf32", "hold half", "use f16"])?;
    let (a, mut c) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
    let short = Matmul::new([2, 2, 2]).precision(Precision::F16);
    refused(short.run(&a, &a, &mut c), is, &["f16", "hold f32", "use f32 or tf32"])?;
    Ok(Matmul::new([2, 2, 2]).precision(Precision::F32).run(&a, &a, &mut c)?)
}

fn too_large(device: &Device) -> TestResult {
    let (a, mut c) = (device.buffer::<f32>(4)?, device.buffer::<f32>(0)?);
    let is = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(matmul(&a, &a, &mut c, [usize::MAX, 2, 2]), is, &["a has the shape [18446744073709551615, 2]"])?;
    refused(matmul(&c.as_copy(device)?, &a, &mut c, [0, 1 << 33, 0]), is, &["a has the shape [0, 8589934592]"])
}

/// Creates a new buffer of the same length, to read beside the written one.
trait Copied {
    fn as_copy(&self, device: &Device) -> TestResult<anywarp::UnifiedBuffer<f32>>;
}

impl Copied for anywarp::UnifiedBuffer<f32> {
    fn as_copy(&self, device: &Device) -> TestResult<anywarp::UnifiedBuffer<f32>> {
        Ok(device.buffer::<f32>(self.len())?)
    }
}

fn guards(device: &Device) -> TestResult {
    let (a, b) = (device.buffer_from(&[1.0f32; 4])?, device.buffer_from(&[2.0f32; 4])?);
    let mut c = device.buffer::<f32>(4)?;
    let is = |error: &OperationError| matches!(error, OperationError::InUse { .. });
    let reading = b.read()?;
    refused(matmul(&a, &b, &mut c, [2, 2, 2]), is, &["'b' is in use", "ReadGuard"])?;
    let mut kept = device.recording();
    Matmul::new([2, 2, 2]).record(&mut kept).run(&a, &b, &mut c)?;
    drop(reading);
    kept.submit()?;
    same(&c.read()?, &[4.0; 4], "after the guard")
}

fn other_devices(device: &Device) -> TestResult {
    let other = device.reopen()?;
    let (here, there) = (device.buffer::<f32>(4)?, other.buffer::<f32>(4)?);
    let mut c = device.buffer::<f32>(4)?;
    let is = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(matmul(&there, &here, &mut c, [2, 2, 2]), is, &["'a' belongs to", device.selector()])?;
    refused(matmul(&here, &there, &mut c, [2, 2, 2]), is, &["'b' belongs to", device.selector()])?;
    let mut recording = other.recording();
    refused(Matmul::new([2, 2, 2]).record(&mut recording).run(&here, &here, &mut c), is, &["the recording belongs to"])
}
