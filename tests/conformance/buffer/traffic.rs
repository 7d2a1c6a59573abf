//! The number of transfers: none where host and device share memory, and only changed ranges elsewhere.

use anywarp::{BufferStats, Device, UnifiedBuffer};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{ADD, COPY, add};
use crate::suite::portable_waits::{ReadHere, ReopenHere, SynchronizeHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal};

pub(crate) const CASES: &[Case] = cases![
    a_loop_on_the_device_transfers_nothing,
    written_ten_kernels_and_read,
    host_and_device_in_turns,
    only_dirty_ranges_are_transferred,
    reading_twice_transfers_once,
    device_counts_all_buffers,
    no_growth_over_10_000_launches,
    no_growth_over_1_000_round_trips,
    live_and_peak_bytes,
    trim_gives_staging_back,
];

const LENGTH: usize = 1024;
const BYTES: u64 = 4 * LENGTH as u64;

/// Checks the sizes in bytes of `uploads` and `downloads` on a device with its own memory. On a device with unified
/// memory no transfers are expected.
fn check_transfers(
    device: &Device,
    buffer: &UnifiedBuffer<u32>,
    uploads: &[u64],
    downloads: &[u64],
    what: &str,
) -> TestResult {
    let mut wanted = BufferStats::default();
    if !device.caps().unified {
        (wanted.uploads, wanted.downloads) = (uploads.len() as u64, downloads.len() as u64);
        (wanted.bytes_uploaded, wanted.bytes_downloaded) = (uploads.iter().sum(), downloads.iter().sum());
    }
    equal(buffer.stats(), wanted, what)
}

async fn a_loop_on_the_device_transfers_nothing(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(LENGTH))?;
    for _ in 0..300 {
        add(device, &mut buffer, LENGTH, 1)?;
    }
    device.synchronize_here().await?;
    check_transfers(device, &buffer, &[BYTES], &[], "300 launches")?;
    drop(buffer.read_here().await?);
    check_transfers(device, &buffer, &[BYTES], &[BYTES], "300 launches and a read")
}

/// A typical job takes one upload and one download, or none with unified memory.
async fn written_ten_kernels_and_read(device: &Device) -> TestResult {
    // The test reopens the device, because other cases transfer bytes on the shared one.
    let device = &device.reopen_here().await?;
    let mut buffer = device.buffer::<u32>(LENGTH)?;
    buffer.write_here().await?.fill(5);
    for _ in 0..10 {
        add(device, &mut buffer, LENGTH, 2)?;
    }
    ensure(buffer.read_here().await?.iter().all(|word| *word == 25), || "not all words are 25".to_owned())?;
    check_transfers(device, &buffer, &[BYTES], &[BYTES], "a write, ten launches and a read")?;
    let stats = device.stats();
    let bytes = stats.bytes_uploaded + stats.bytes_downloaded;
    equal(bytes, if device.caps().unified { 0 } else { 2 * BYTES }, "bytes transferred by the whole device")
}

async fn host_and_device_in_turns(device: &Device) -> TestResult {
    let mut buffer = device.buffer::<u32>(LENGTH)?;
    for _ in 0..10 {
        buffer.write_here().await?.fill(1);
        add(device, &mut buffer, LENGTH, 1)?;
        equal(buffer.read_here().await?[LENGTH - 1], 2, "the last element")?;
    }
    check_transfers(device, &buffer, &[BYTES; 10], &[BYTES; 10], "ten times a write, a launch and a read")
}

async fn only_dirty_ranges_are_transferred(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(LENGTH))?;
    add(device, &mut buffer, LENGTH, 0)?;
    drop(buffer.read_here().await?);
    buffer.slice_mut(100..356).update_here().await?.fill(3);
    add(device, &mut buffer, LENGTH, 0)?;
    check_transfers(device, &buffer, &[BYTES, 1024], &[BYTES], "256 changed elements")?;
    // A launch that writes a slice leaves the host's copy of the other elements valid.
    drop(buffer.read_here().await?);
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    add(device, buffer.slice_mut(step..2 * step), step, 1)?;
    drop(buffer.read_here().await?);
    check_transfers(
        device,
        &buffer,
        &[BYTES, 1024],
        &[BYTES, BYTES, 4 * step as u64],
        "one slice written by the device",
    )
}

async fn reading_twice_transfers_once(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(LENGTH))?;
    add(device, &mut buffer, LENGTH, 0)?;
    for _ in 0..3 {
        drop(buffer.read_here().await?);
    }
    check_transfers(device, &buffer, &[BYTES], &[BYTES], "three reads")?;
    // A kernel that only reads the buffer leaves the host's copy valid.
    let copy = device.kernel(COPY)?;
    let mut result = device.buffer::<u32>(LENGTH)?;
    copy.launch().bind("source", &buffer).bind("result", &mut result).threads(LENGTH)?;
    drop(buffer.read_here().await?);
    equal(buffer.update_here().await?[0], words(1)[0], "a read-only update")?;
    add(device, &mut buffer, LENGTH, 0)?;
    check_transfers(device, &buffer, &[BYTES], &[BYTES], "a launch that reads, and a read-only update")
}

async fn device_counts_all_buffers(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let mut one = fresh.buffer_from(&words(LENGTH))?;
    let mut two = fresh.buffer_from(&words(2 * LENGTH))?;
    add(&fresh, &mut one, LENGTH, 1)?;
    add(&fresh, &mut two, LENGTH, 1)?;
    drop((one.read_here().await?, two.read_here().await?));
    let stats = fresh.stats();
    let wanted = if fresh.caps().unified { (0, 0, 0, 0) } else { (2, 3 * BYTES, 2, 3 * BYTES) };
    let got = (stats.uploads, stats.bytes_uploaded, stats.downloads, stats.bytes_downloaded);
    equal(got, wanted, "uploads and downloads of two buffers")?;
    equal(stats.launches, 2, "launches")?;
    equal(stats.counters.dispatches, 2, "dispatches")
}

async fn no_growth_over_10_000_launches(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let kernel = fresh.kernel(ADD)?;
    let mut buffer = fresh.buffer_from(&[0u32; 64])?;
    let mut round = async |launches: u32| -> TestResult {
        for launch in 0..launches {
            kernel.launch().bind("data", &mut buffer).set("params.by", launch % 2).threads(64)?;
        }
        drop(buffer.read_here().await?);
        Ok(())
    };
    round(1000).await?;
    let before = fresh.stats();
    round(10_000).await?;
    let after = fresh.stats();
    equal(after.live_bytes, before.live_bytes, "live bytes")?;
    equal(after.staging_bytes, before.staging_bytes, "staging bytes")?;
    equal(after.counters.bind_groups, before.counters.bind_groups, "bind groups built")?;
    equal(after.counters.compilations, before.counters.compilations, "compilations")?;
    equal(after.launches - before.launches, 10_000, "launches")?;
    equal(buffer.read_here().await?.to_vec(), vec![5500; 64], "the sum of all of them")
}

async fn no_growth_over_1_000_round_trips(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let mut buffer = fresh.buffer::<u32>(LENGTH)?;
    let mut round = async |trips: u32| -> TestResult {
        for trip in 0..trips {
            buffer.write_here().await?.fill(trip);
            add(&fresh, &mut buffer, LENGTH, 1)?;
            equal(buffer.read_here().await?[7], trip + 1, "a round trip")?;
        }
        Ok(())
    };
    round(50).await?;
    let before = fresh.stats();
    round(1000).await?;
    let after = fresh.stats();
    equal(after.live_bytes, before.live_bytes, "live bytes")?;
    equal(after.staging_bytes, before.staging_bytes, "staging bytes")?;
    equal(after.staging_misses, before.staging_misses, "allocations of staging memory")
}

async fn live_and_peak_bytes(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let one = fresh.buffer::<u32>(1000)?;
    let two = fresh.buffer::<u64>(1000)?;
    equal(fresh.stats().live_bytes, 12_000, "two buffers")?;
    drop(one);
    equal(fresh.stats().live_bytes, 8000, "one dropped")?;
    let stats = fresh.stats();
    equal((stats.live_bytes, stats.peak_bytes), (8000, 12_000), "live and peak")?;
    drop(two);
    equal(fresh.stats().live_bytes, 0, "all dropped")
}

async fn trim_gives_staging_back(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let mut buffer = fresh.buffer_from(&words(LENGTH))?;
    add(&fresh, &mut buffer, LENGTH, 1)?;
    drop(buffer.read_here().await?);
    let staged = fresh.stats().staging_bytes;
    if fresh.caps().unified {
        equal(staged, 0, "staging bytes with unified memory")?;
    } else {
        ensure(staged >= 2 * BYTES, || format!("only {staged} bytes of staging memory"))?;
    }
    drop(buffer);
    fresh.synchronize_here().await?;
    fresh.trim();
    equal(fresh.stats().staging_bytes, 0, "staging bytes after trim")
}
