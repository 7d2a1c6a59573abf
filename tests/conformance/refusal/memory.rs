//! Buffers that are too large.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Device, Error, ErrorClass};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::{ReadHere, ReopenHere};
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] =
    cases![buffer_above_the_limit, buffer_beyond_the_address_space, many_refused_buffers,];

async fn buffer_above_the_limit(device: &Device) -> TestResult {
    let limit = device.caps().limits.buffer_size;
    let length = usize::try_from(limit / 4).unwrap_or(usize::MAX / 8) + 4;
    let result = device.buffer::<u32>(length);
    let class = result.as_ref().err().map(|error| Error::from(error.clone()).class());
    let too_large = |error: &BufferError| {
        let BufferError::Device { operation: "allocating", error, .. } = error else { return false };
        matches!(error, BackendError::TooLarge { .. } | BackendError::OutOfMemory { .. })
    };
    refused(result, too_large, &[&device.caps().name, &(4 * length as u64).to_string()])?;
    equal(class == Some(ErrorClass::Programmer), false, "whether the error is a programmer's mistake")
}

async fn buffer_beyond_the_address_space(device: &Device) -> TestResult {
    let too_long = |error: &BufferError| matches!(error, BufferError::TooLong { .. });
    refused(device.buffer::<u64>(usize::MAX), too_long, &[&usize::MAX.to_string(), "8 bytes"])?;
    refused(device.buffer::<u8>(usize::MAX), too_long, &["1 bytes"])?;
    refused(device.buffer::<[u64; 1024]>(usize::MAX / 8192 + 1), too_long, &["8192 bytes"])
}

async fn many_refused_buffers(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let kept = fresh.buffer_from(&[9u32; 64])?;
    let before = fresh.stats().live_bytes;
    let length = usize::try_from(fresh.caps().limits.buffer_size).unwrap_or(usize::MAX / 8) + 64;
    for _ in 0..50 {
        refused(fresh.buffer::<u8>(length), |error| matches!(error, BufferError::Device { .. }), &["allocated"])?;
    }
    equal(fresh.stats().live_bytes, before, "live bytes")?;
    same(&kept.read_here().await?, &[9; 64], "a buffer made before")?;
    same(&fresh.buffer_from(&[8u32; 64])?.read_here().await?, &[8; 64], "a buffer made after")
}
