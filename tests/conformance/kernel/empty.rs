//! Empty work: grids with a dimension of 0, and buffers and slices without elements.

use anywarp::{Device, LaunchError};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::{ADD, COPY};
use crate::suite::portable_waits::{ReadHere, SynchronizeHere, WaitHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, refused, same};

pub(crate) const CASES: &[Case] = cases![
    empty_grids_run_nothing,
    arguments_for_empty_grids_are_checked,
    empty_buffers_bind_to_empty_grids,
    empty_grids_in_recordings_and_on_streams,
    counts_of_zero,
    buffers_without_elements,
    a_grid_that_is_not_empty_needs_an_element,
];

async fn empty_grids_run_nothing(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut data = device.buffer_from(&[1u32; 64])?;
    kernel.launch().set("params.by", 1u32).bind("data", &mut data).threads(0)?;
    kernel.launch().set("params.by", 1u32).bind("data", &mut data).threads([5, 0])?;
    kernel.launch().set("params.by", 1u32).bind("data", &mut data).groups((5, 5, 0))?;
    // The product of the dimensions would overflow without the factor 0.
    kernel.launch().set("params.by", 1u32).bind("data", &mut data).groups([
        u64::from(u32::MAX),
        u64::from(u32::MAX),
        0,
    ])?;
    let submission = kernel.launch().set("params.by", 1u32).bind("data", &mut data).timed().groups(0)?;
    submission.wait_here().await?;
    ensure(submission.is_done()?, || "the launch of an empty grid has not ended".to_owned())?;
    ensure(submission.timings().is_none(), || "the launch of an empty grid was measured".to_owned())?;
    same(&data.read_here().await?, &[1; 64], "the data")
}

async fn arguments_for_empty_grids_are_checked(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut wrong = device.buffer_from(&[1.0f32; 4])?;
    let data = device.buffer_from(&[1u32; 4])?;
    let launch = || kernel.launch().set("params.by", 1u32);
    let missing = |error: &LaunchError| matches!(error, LaunchError::Missing { .. });
    let layout = |error: &LaunchError| matches!(error, LaunchError::Layout { .. });
    let shared = |error: &LaunchError| matches!(error, LaunchError::NotMutable { .. });
    refused(launch().threads(0), missing, &["data"])?;
    refused(launch().bind("data", &mut wrong).threads(0), layout, &["'data'"])?;
    refused(launch().bind("data", &data).threads(0), shared, &["'data'"])
}

async fn empty_buffers_bind_to_empty_grids(device: &Device) -> TestResult {
    let kernel = device.kernel(COPY)?;
    let source = device.buffer_from::<u32>(&[])?;
    let mut result = device.buffer::<u32>(0)?;
    kernel.launch().bind("source", &source).bind("result", &mut result).threads(source.len())?;
    let full = device.buffer_from(&[1u32; 64])?;
    kernel.launch().bind("source", full.slice(5..5)).bind("result", result.slice_mut(..)).threads(0)?;
    device.synchronize_here().await?;
    equal(result.read_here().await?.len(), 0, "elements")
}

async fn empty_grids_in_recordings_and_on_streams(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut data = device.buffer_from(&[1u32; 64])?;
    let mut recording = device.recording();
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(0)?;
    equal(recording.len(), 0, "commands")?;
    recording.submit()?.wait_here().await?;
    kernel.launch().bind("data", &mut data).set("params.by", 2u32).record(&mut recording).threads(64)?;
    recording.submit()?;
    let stream = device.stream();
    kernel.launch().bind("data", &mut data).set("params.by", 4u32).on(&stream).threads(0)?.wait_here().await?;
    same(&data.read_here().await?, &[3; 64], "the result of the launches that are not empty")
}

async fn counts_of_zero(device: &Device) -> TestResult {
    let kernel = device.kernel(COPY)?;
    let (source, mut result) = (device.buffer::<u32>(0)?, device.buffer::<u32>(0)?);
    let count = device.count(0)?;
    let mut recording = device.recording();
    kernel.launch().bind("source", &source).bind("result", &mut result).threads_of(&count)?;
    let launch = kernel.launch().bind("source", &source).bind("result", &mut result);
    launch.record(&mut recording).threads_of(&count)?;
    equal(recording.len(), 0, "commands")?;
    equal(count.read_async().await?, 0, "the count")
}

async fn buffers_without_elements(device: &Device) -> TestResult {
    let mut none = device.buffer_from::<f32>(&[])?;
    let mut some = device.buffer_from(&[1.0f32, 2.0])?;
    ensure(none.is_empty() && none.byte_len() == 0, || "an empty buffer has elements".to_owned())?;
    equal(none.read_here().await?.len(), 0, "elements read")?;
    equal(some.slice(1..1).read_here().await?.len(), 0, "elements of an empty range")?;
    none.copy_from_slice(&[])?;
    none.fill(3.0)?;
    none.copy_from(some.slice(2..))?;
    some.slice_mut(1..1).copy_from(&none)?;
    some.slice_mut(..0).fill(7.0)?;
    equal(none.write_here().await?.len(), 0, "elements to write")?;
    same(&some.read_here().await?, &[1.0, 2.0], "the buffer that is not empty")
}

/// A launch with a grid that is not empty refuses a binding without elements, because `arrayLength` in WGSL is at least
/// 1.
async fn a_grid_that_is_not_empty_needs_an_element(device: &Device) -> TestResult {
    let kernel = device.kernel(COPY)?;
    let source = device.buffer::<u32>(0)?;
    let mut result = device.buffer::<u32>(64)?;
    let length = |error: &LaunchError| matches!(error, LaunchError::Length { got: 0, .. });
    let launch = kernel.launch().bind("source", &source).bind("result", &mut result);
    refused(launch.threads(64), length, &["kernel:copy", "'source' has 0 bytes", "at least one element", "grid of 0"])
}
