//! Calls that are refused.

use anywarp::ops::{OperationError, Scan, cumulative_sum};
use anywarp::{Device, Error, ErrorClass};

use crate::outcome::{Context, TestResult, equal, refused, same};

pub(super) fn refusals(device: &Device) -> TestResult {
    let x = device.buffer_from(&[5u32; 6])?;
    let mut y = device.buffer_from(&[7u32; 6])?;
    let is_length = |error: &OperationError| matches!(error, OperationError::Length { .. });
    refused(cumulative_sum(&x, y.slice_mut(..5)), is_length, &["scan: 'y' has 5 elements", "[6] needs 6"])?;
    refused(Scan::sum().axis([2, 4], 0).run(&x, &mut y), is_length, &["'x' has 6 elements", "[2, 4] needs 8"])?;
    refused(Scan::sum().heads(x.slice(1..)).run(&x, &mut y), is_length, &["'heads' has 5 elements", "needs 6"])?;
    refused(Scan::sum().keys::<u32>(x.slice(..0)).run(&x, &mut y), is_length, &["'keys' has 0 elements"])?;
    refused(Scan::sum().axis([2, 4], 0).cost::<u32>(device, 6), is_length, &["'x' has 6 elements"])?;
    let is_axis = |error: &OperationError| matches!(error, OperationError::Axis { .. });
    refused(Scan::sum().axis([2, 3], 2).run(&x, &mut y), is_axis, &["scan: axis 2 is out of range", "[2, 3]"])?;
    refused(Scan::sum().axis([], 0).run(x.slice(..1), y.slice_mut(..1)), is_axis, &["axis 0"])?;
    let is_choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let both = Scan::sum().axis([2, 3], 1).segments(&x).run(&x, &mut y);
    refused(both, is_choice, &["scan: an axis with segments", "omit either the axis"])?;
    refused(Scan::sum().keys(&x).heads(&x).run(&x, &mut y), is_choice, &["segments by keys", "pass either keys"])?;
    let is_slice = |error: &OperationError| matches!(error, OperationError::Slice { .. });
    refused(cumulative_sum(x.slice(4..9), &mut y), is_slice, &["scan: 'x'", "4..9", "6 elements"])?;
    refused(Scan::sum().segments(x.slice(7..)).run(&x, &mut y), is_slice, &["'offsets'"])?;
    refused(Scan::sum().run_in_place(y.slice_mut(2..8)), is_slice, &["'x'", "2..8"])?;
    let is_large = |error: &OperationError| matches!(error, OperationError::TooLarge { .. });
    refused(Scan::sum().cost::<u32>(device, 1 << 32), is_large, &["scan: x", "4294967296", "4294901760"])?;
    refused(Scan::sum().axis([1 << 40, 1 << 40], 0).run(&x, &mut y), is_large, &["scan: x"])?;
    let other = device.reopen()?;
    let is_foreign = |error: &OperationError| matches!(error, OperationError::OtherDevice { .. });
    refused(Scan::sum().on(&other.stream()).run(&x, &mut y), is_foreign, &["scan", "the stream"])?;
    let foreign = other.buffer_from(&[0u32; 6])?;
    refused(cumulative_sum(&foreign, &mut y), is_foreign, &["scan", "'x'"])?;
    refused(Scan::sum().heads(&foreign).run(&x, &mut y), is_foreign, &["'heads'"])?;
    let mut recording = other.recording();
    refused(Scan::sum().record(&mut recording).run(&x, &mut y), is_foreign, &["the recording"])?;
    let class = Error::from(cumulative_sum(&x, y.slice_mut(..5)).unwrap_err()).class();
    equal(class, ErrorClass::Programmer, "class")?;
    same(&y.read()?, &[7; 6], "no scan has run")
}

pub(super) fn refused_texts(device: &Device) -> TestResult {
    let x = device.buffer_from(&[5.0f32; 6])?;
    let mut y = device.buffer_from(&[7.0f32; 6])?;
    let is_kernel = |error: &OperationError| matches!(error, OperationError::Kernel(_));
    refused(Scan::new("a + c", 0).run(&x, &mut y), is_kernel, &["a + c"])?;
    refused(Scan::new("a + b", "zero").run(&x, &mut y), is_kernel, &["zero"])?;
    refused(Scan::new("a +", 0).run(&x, &mut y), is_kernel, &["scan_monoid"])?;
    if !device.caps().feature_names().contains(&"f64") {
        let mut wide = device.buffer::<f64>(3)?;
        refused(Scan::sum().run_in_place(&mut wide), is_kernel, &["f64"])?;
    }
    same(&y.read()?, &[7.0; 6], "no scan has run").context(|| "after refused texts".to_owned())
}
