//! Writing without blocking.

use anywarp::{BufferError, Device};

use crate::Case;
use crate::kernels::{scale, scaled};
use crate::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] = &[
    ("written_and_launched", |device| Box::pin(written_and_launched(device))),
    ("copied_in_pieces", |device| Box::pin(copied_in_pieces(device))),
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

/// More than a device of its own memory takes at once.
async fn copied_in_pieces(device: Device) -> TestResult {
    let words: Vec<u32> = (0..(21 << 20) / 4 + 3).collect();
    let mut data = device.buffer::<u32>(words.len())?;
    data.copy_from_slice_async(&words).await?;
    same(&data.read_async().await?, &words, "all of it")
}

async fn refusals(device: Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 10])?;
    let short = data.copy_from_slice_async(&[1; 9]).await;
    refused(short, |error| matches!(error, BufferError::LengthMismatch { .. }), &["10", "9"])?;
    let outside = data.slice_mut(5..11).write_async().await.map(drop);
    refused(outside, |error| matches!(error, BufferError::OutOfRange { .. }), &["11", "10"])?;
    equal(data.slice_mut(3..3).write_async().await?.len(), 0, "a slice of nothing")?;
    same(&data.read_async().await?, &[1; 10], "what was not written")
}
