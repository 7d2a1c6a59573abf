//! Cancelled operations release all their memory.

use std::pin::pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt};

use anywarp::{Device, DeviceStats};

use crate::Alone;
use crate::kernels::{rounds, scale};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal};

pub(crate) const CASES: &[Alone] = &[
    ("nothing_remains", |device| every(device, nothing)),
    ("reads", |device| every(device, read)),
    ("updates", |device| every(device, update)),
    ("owned_reads", |device| every(device, owned)),
    ("owned_reads_never_polled", |device| every(device, owned_never_polled)),
    ("writes", |device| every(device, write)),
    ("copies_in_pieces", |device| every(device, copy)),
    ("submissions", |device| every(device, submission)),
    ("several_in_flight", |device| every(device, several_in_flight)),
    ("several_in_flight_half_used", |device| every(device, several_in_flight_half_used)),
];

/// The time limit for memory to be released: threads of a busy machine may wait long for a core.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Runs `cancelled` many times on a device of its own, and checks the device's counters.
fn every(device: &Device, cancelled: fn(&Device) -> TestResult) -> TestResult {
    let fresh = device.reopen()?;
    // Another thread returns the staging memory of a cancelled read, soon after the read's copy has ended.
    let settled = || -> TestResult<(u64, u64)> {
        let begun = Instant::now();
        loop {
            fresh.synchronize()?;
            fresh.trim();
            let DeviceStats { live_bytes, staging_bytes, .. } = fresh.stats();
            if (live_bytes, staging_bytes) == (0, 0) || begun.elapsed() > MAX_WAIT {
                return Ok((live_bytes, staging_bytes));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    cancelled(&fresh)?;
    let before = settled()?;
    let most = fresh.stats().peak_bytes;
    for _ in 0..50 {
        cancelled(&fresh)?;
    }
    equal(settled()?, before, "live bytes and staging bytes")?;
    equal(before, (0, 0), "live bytes and staging bytes from the start")?;
    // The number of inputs in flight depends on timing, but remaining memory does not.
    let peak = fresh.stats().peak_bytes;
    ensure(peak <= 4 * most, || format!("{peak} bytes were live at a time after 50 rounds, {most} after the first"))
}

/// Polls the future once and drops it; returns whether it was pending.
fn begun<F: Future>(future: F) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

fn nothing(_: &Device) -> TestResult {
    Ok(())
}

fn read(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 5000])?;
    for part in [0..5000, 100..200, 4000..5000] {
        rounds(device, &mut data, 3, 100)?;
        begun(data.slice(part).read_async());
        begun(data.read_async());
    }
    Ok(())
}

fn update(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 5000])?;
    rounds(device, &mut data, 3, 100)?;
    begun(data.update_async());
    begun(data.slice_mut(..50).update_async());
    scale(device, &mut data, 3)?;
    Ok(())
}

fn owned(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 5000])?;
    rounds(device, &mut data, 3, 100)?;
    begun(data.into_read_async());
    Ok(())
}

fn owned_never_polled(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 5000])?;
    rounds(device, &mut data, 3, 100)?;
    drop(data.into_read_async());
    Ok(())
}

fn write(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(5000)?;
    rounds(device, &mut data, 3, 100)?;
    begun(data.write_async());
    begun(data.slice_mut(..50).write_async());
    begun(data.copy_from_slice_async(&[3; 5000]));
    scale(device, &mut data, 3)?;
    Ok(())
}

fn copy(device: &Device) -> TestResult {
    let words = vec![7u32; 6 << 20];
    let mut data = device.buffer::<u32>(words.len())?;
    begun(data.copy_from_slice_async(&words));
    Ok(())
}

fn submission(device: &Device) -> TestResult {
    let mut data = device.buffer::<u32>(5000)?;
    let mut recording = device.recording();
    rounds(device, &mut data, 3, 100)?;
    recording.fill(&mut data, 3)?;
    begun(recording.submit()?);
    begun(device.synchronize_async());
    Ok(())
}

fn several_in_flight(device: &Device) -> TestResult {
    let results = stream::iter(0..100u32).map(|input| async move {
        let mut data = device.buffer_from(&[input; 5000])?;
        rounds(device, &mut data, input, 100)?;
        Ok::<_, anywarp::Error>(data.into_read_async().await?)
    });
    begun(pin!(results.buffered(3)).next());
    Ok(())
}

fn several_in_flight_half_used(device: &Device) -> TestResult {
    let results = stream::iter(0..100u32).map(|input| async move {
        let mut data = device.buffer_from(&[input; 500])?;
        scale(device, &mut data, input)?;
        Ok::<_, anywarp::Error>(data.read_async().await?[0])
    });
    let results: Vec<_> = pollster::block_on(results.buffered(3).take(3).collect());
    equal(results.into_iter().collect::<Result<Vec<_>, _>>()?, vec![0, 1, 4], "the first results")
}
