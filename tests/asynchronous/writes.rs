//! Writing without blocking.

use anywarp::{BufferError, Device, DeviceOptions};

use crate::Case;
use crate::kernels::{scale, scaled};
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] = &[
    ("written_and_launched", |device| Box::pin(written_and_launched(device))),
    ("copied_in_chunks", |device| Box::pin(copied_in_chunks(device))),
    ("with_little_upload_memory", |device| Box::pin(with_little_upload_memory(device))),
    ("refusals", |device| Box::pin(refusals(device))),
];

async fn written_and_launched(device: Device) -> TestResult {
    let mut data = device.buffer::<u32>(1000)?;
    for round in 0..30 {
        data.write_async().await?.fill(round);
        scale(&device, &mut data, 3)?;
        data.slice_mut(..500).copy_from_slice_async(&[round; 500]).await?;
        let read = data.read_async().await?;
        same(&read[..500], &[round; 500], "the first half")?;
        same(&read[500..], &scaled(round, 3, 1000)[500..], "the second half")?;
    }
    Ok(())
}

/// A write of more bytes than a device with its own memory copies in one chunk.
async fn copied_in_chunks(device: Device) -> TestResult {
    let words: Vec<u32> = (0..(21 << 20) / 4 + 3).collect();
    let mut data = device.buffer::<u32>(words.len())?;
    data.copy_from_slice_async(&words).await?;
    same(&data.read_async().await?, &words, "all of it")
}

/// A write beyond the limit of upload memory waits for copies in flight, and does not block the thread.
async fn with_little_upload_memory(device: Device) -> TestResult {
    const LIMIT: u64 = 64 << 10;
    let options = DeviceOptions::default().selector(device.selector()).staged(true).staging_limit(LIMIT);
    let device = Device::open_with(&options)?;
    let mut data = device.buffer::<u32>(10_000)?;
    for round in 0..100 {
        data.write_async().await?.fill(round);
        scale(&device, &mut data, 1)?;
        device.submit()?;
    }
    same(&data.read_async().await?, &scaled(99, 1, 10_000), "the last write")?;
    let mut data = device.buffer::<u32>(1 << 20)?;
    data.copy_from_slice_async(&vec![9; 1 << 20]).await?;
    same(&data.read_async().await?, &vec![9; 1 << 20], "a copy of more than the limit")?;
    // One guard with nearly all of the upload memory, and another guard beside it.
    let mut other = device.buffer::<u32>(12_000)?;
    let mut first = data.slice_mut(..16_000).write_async().await?;
    let mut second = other.write_async().await?;
    first.fill(1);
    second.fill(2);
    drop((first, second));
    equal(
        (data.read_async().await?[15_999], other.read_async().await?[11_999]),
        (1, 2),
        "the elements that both guards wrote",
    )?;
    let peak = device.stats().staging_peak;
    equal(peak <= LIMIT, true, "upload memory within its limit")
}

async fn refusals(device: Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 10])?;
    let short = data.copy_from_slice_async(&[1; 9]).await;
    refused(short, |error| matches!(error, BufferError::LengthMismatch { .. }), &["10", "9"])?;
    let outside = data.slice_mut(5..11).write_async().await.map(drop);
    refused(outside, |error| matches!(error, BufferError::OutOfRange { .. }), &["11", "10"])?;
    equal(data.slice_mut(3..3).write_async().await?.len(), 0, "an empty slice")?;
    same(&data.read_async().await?, &[1; 10], "unchanged")
}
