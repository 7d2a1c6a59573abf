//! Host guards exclude other accesses by host and device. `tests/ui` checks what the borrow checker refuses; these
//! cases use recordings, which borrow nothing, and leaked guards.

use anywarp::{BufferError, Device, Error, LaunchError, Recording};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, COPY};
use crate::suite::portable_waits::{ReadHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] = cases![
    read_guards_are_shared,
    read_guards_exclude_launches,
    guards_keep_recordings_off,
    leaked_guards_exclude_the_host,
    leaked_guards_exclude_the_device,
    a_write_guard_takes_effect_when_dropped,
];

async fn read_guards_are_shared(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(100))?;
    crate::suite::kernels::add(device, &mut buffer, 100, 0)?;
    let (one, two) = (buffer.read_here().await?, buffer.slice(10..20).read_here().await?);
    same(&one, &words(100), "the first guard")?;
    same(&two, &words(100)[10..20], "the second guard")?;
    drop(one);
    let three = buffer.read_async().await?;
    same(&two, &words(100)[10..20], "the second guard, after the first is gone")?;
    same(&three, &words(100), "the third guard")
}

/// A launch is refused if it binds a buffer that has a read guard: the compiler accepts two shared borrows, but the
/// host may be reading memory that the device needs.
async fn read_guards_exclude_launches(device: &Device) -> TestResult {
    let kernel = device.kernel(COPY)?;
    let source = device.buffer_from(&[3u32; 64])?;
    let mut result = device.buffer::<u32>(64)?;
    let guard = source.slice(0..8).read_here().await?;
    let held = |error: &LaunchError| matches!(error, LaunchError::InUse { guard: "ReadGuard", .. });
    let launch = kernel.launch().bind("source", &source).bind("result", &mut result);
    refused(launch.threads(64), held, &["'source'", "ReadGuard", "drop"])?;
    same(&guard, &[3; 8], "the guard's contents")?;
    drop(guard);
    kernel.launch().bind("source", &source).bind("result", &mut result).threads(64)?;
    same(&result.read_here().await?, &[3; 64], "after the guard is dropped")
}

/// A recording that adds 1 to every element.
fn adding(device: &Device, data: &mut anywarp::UnifiedBuffer<u32>) -> TestResult<Recording> {
    let mut recording = device.recording();
    let length = data.len();
    device.kernel(ADD)?.launch().bind("data", data).set("params.by", 1u32).record(&mut recording).threads(length)?;
    Ok(recording)
}

fn in_use(guard: &'static str) -> impl Fn(&Error) -> bool {
    move |error| matches!(error, Error::Buffer(BufferError::InUse { guard: found }) if *found == guard)
}

async fn guards_keep_recordings_off(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    let recording = adding(device, &mut buffer)?;
    let guard = buffer.read_here().await?;
    refused(recording.submit(), in_use("ReadGuard"), &["ReadGuard", "drop"])?;
    drop(guard);
    let guard = buffer.update_here().await?;
    refused(recording.submit(), in_use("UpdateGuard"), &["UpdateGuard"])?;
    drop(guard);
    let mut guard = buffer.write_here().await?;
    refused(recording.submit(), in_use("WriteGuard"), &["WriteGuard"])?;
    guard.fill(10);
    drop(guard);
    recording.submit()?;
    same(&buffer.read_here().await?, &[11; 64], "one submission, after all guards are dropped")
}

fn held(guard: &'static str) -> impl Fn(&BufferError) -> bool {
    move |error| matches!(error, BufferError::InUse { guard: found } if *found == guard)
}

async fn leaked_guards_exclude_the_host(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    std::mem::forget(buffer.read_here().await?);
    equal(buffer.read_here().await?[0], 1, "reading beside a ReadGuard")?;
    refused(buffer.write_here().await, held("ReadGuard"), &["ReadGuard"])?;
    refused(buffer.update_here().await, held("ReadGuard"), &["ReadGuard"])?;
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    std::mem::forget(buffer.write_here().await?);
    refused(buffer.read_here().await, held("WriteGuard"), &["WriteGuard"])?;
    refused(buffer.read_async().await, held("WriteGuard"), &["WriteGuard"])?;
    refused(buffer.slice_mut(0..4).write_here().await, held("WriteGuard"), &["WriteGuard"])?;
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    std::mem::forget(buffer.update_here().await?);
    refused(buffer.copy_from_slice_here(&[0; 64]).await, held("UpdateGuard"), &["UpdateGuard"])
}

async fn leaked_guards_exclude_the_device(device: &Device) -> TestResult {
    let kernel = device.kernel(ADD)?;
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    let mut other = device.buffer_from(&[2u32; 64])?;
    std::mem::forget(buffer.read_here().await?);
    let held = |error: &LaunchError| matches!(error, LaunchError::InUse { guard: "ReadGuard", .. });
    let launch = kernel.launch().bind("data", &mut buffer).set("params.by", 1u32);
    refused(launch.threads(64), held, &["'data'", "ReadGuard"])?;
    let busy = |error: &BufferError| matches!(error, BufferError::InUse { guard: "ReadGuard" });
    refused(buffer.fill(1), busy, &["ReadGuard"])?;
    refused(buffer.copy_from(&other), busy, &["ReadGuard"])?;
    refused(other.copy_from(&buffer), busy, &["ReadGuard"])?;
    same(&buffer.read_here().await?, &[1; 64], "no launch has run")?;
    same(&other.read_here().await?, &[2; 64], "no copy has run")
}

async fn a_write_guard_takes_effect_when_dropped(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    let recording = adding(device, &mut buffer)?;
    let mut guard = buffer.slice_mut(0..32).write_here().await?;
    guard.fill(5);
    drop(guard);
    recording.submit()?;
    let mut wanted = [2u32; 64];
    wanted[..32].fill(6);
    same(&buffer.read_here().await?, &wanted, "written before the submission")
}
