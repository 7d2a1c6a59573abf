//! Counts in device memory, and launches that use them as their grid.

use anywarp::{Device, DeviceCount, UnifiedBuffer};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(crate) const CASES: &[Case] = cases![
    counted_threads,
    counts_above_the_maximum_are_clamped,
    counted_beyond_the_limit,
    counted_by_a_kernel,
    counted_in_a_recording,
    counted_on_a_stream,
];

/// A kernel that counts the invocations, and those whose index is below the count.
const SEEN: &str = "
@group(0) @binding(0) var<storage> count: array<u32>;
@group(0) @binding(1) var<storage, read_write> seen: array<atomic<u32>, 3>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&seen[0], 1u);
    if id.x < count[0] { atomicAdd(&seen[1], id.x % 7u + 1u); }
    atomicMax(&seen[2], id.x);
}";

/// The result of [`SEEN`] for this count, of which at most `most` elements run.
fn expected(count: u32, most: u32) -> [u32; 3] {
    let groups = count.min(most).div_ceil(64);
    let invocations = groups * 64;
    let below = (0..invocations.min(count)).fold(0u32, |sum, id| sum.wrapping_add(id % 7 + 1));
    [invocations, below, invocations.saturating_sub(1)]
}

async fn check(device: &Device, count: u32, most: u32) -> TestResult {
    let kernel = device.kernel(SEEN)?;
    let mut seen = device.buffer::<u32>(3)?;
    let mut threads = device.count(most)?;
    threads.set(count)?;
    kernel.launch().bind("count", &threads).bind("seen", &mut seen).threads_of(&threads)?;
    same(&seen.read_here().await?, &expected(count, most), &format!("a count of {count}, {most} at most"))
}

async fn counted_threads(device: &Device) -> TestResult {
    for count in [0, 1, 63, 64, 65, 1000, 4099] {
        check(device, count, 1 << 20).await?;
    }
    Ok(())
}

async fn counts_above_the_maximum_are_clamped(device: &Device) -> TestResult {
    check(device, u32::MAX, 1000).await?;
    check(device, 5, 0).await
}

/// A count may need more workgroups than one dimension allows: the device itself folds the grid into several
/// dimensions, because the host does not have the count.
async fn counted_beyond_the_limit(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage> count: array<u32>;
         @group(0) @binding(1) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < count[0] { data[id.x] += id.x ^ 0x5555u; }
         }",
    )?;
    let most = 150_000u32;
    for count in [0, 7, 65_535, 65_536, 131_071, 150_000] {
        let mut data = device.buffer::<u32>(most as usize)?;
        let mut threads = device.count(most)?;
        threads.set(count)?;
        kernel.launch().bind("count", &threads).bind("data", &mut data).threads_of(&threads)?;
        let wanted: Vec<u32> = (0..most).map(|id| if id < count { id ^ 0x5555 } else { 0 }).collect();
        same(&data.read_here().await?, &wanted, &format!("a count of {count}"))?;
    }
    Ok(())
}

/// A launch over the kept elements uses the count that a filter has written; the host reads the count last.
async fn filtered(
    device: &Device,
    launched: impl Fn(&mut DeviceCount, &mut UnifiedBuffer<u32>) -> TestResult,
) -> TestResult {
    let mut kept = device.buffer::<u32>(10_000)?;
    let mut count = device.count(10_000)?;
    launched(&mut count, &mut kept)?;
    let found = (0..10_000u32).filter(|value| value % 3 == 1).count() as u32;
    equal(count.read_async().await?, found, "the count")?;
    let mut kept: Vec<u32> = kept.read_here().await?[..found as usize].to_vec();
    kept.sort_unstable();
    let wanted: Vec<u32> = (0..10_000).filter(|value| value % 3 == 1).map(|value| 2 * value).collect();
    same(&kept, &wanted, "the kept elements, doubled")
}

const FILTER: &str = "
@group(0) @binding(0) var<storage, read_write> kept: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: array<atomic<u32>>;
@compute @workgroup_size(64) fn keep(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < 10000u && id.x % 3u == 1u { kept[atomicAdd(&count[0], 1u)] = id.x; }
}
@compute @workgroup_size(64) fn clear() { atomicStore(&count[0], 0u); }";

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> kept: array<u32>;
@group(0) @binding(1) var<storage> count: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < count[0] { kept[id.x] *= 2u; }
}";

async fn counted_by_a_kernel(device: &Device) -> TestResult {
    let (keep, double) = (device.kernel(anywarp::Wgsl::new(FILTER).entry("keep"))?, device.kernel(DOUBLE)?);
    filtered(device, |count, kept| {
        keep.launch().bind("kept", &mut *kept).bind("count", &mut *count).threads(10_000)?;
        double.launch().bind("kept", kept).bind("count", &*count).threads_of(count)?;
        Ok(())
    })
    .await
}

async fn counted_in_a_recording(device: &Device) -> TestResult {
    let wgsl = anywarp::Wgsl::new(FILTER);
    let (keep, clear) = (device.kernel(wgsl.clone().entry("keep"))?, device.kernel(wgsl.entry("clear"))?);
    let double = device.kernel(DOUBLE)?;
    filtered(device, |count, kept| {
        let mut recording = device.recording();
        clear.launch().bind("count", &mut *count).record(&mut recording).groups(1)?;
        keep.launch().bind("kept", &mut *kept).bind("count", &mut *count).record(&mut recording).threads(10_000)?;
        double.launch().bind("kept", kept).bind("count", &*count).record(&mut recording).threads_of(count)?;
        for _ in 0..3 {
            recording.submit()?;
        }
        Ok(())
    })
    .await
}

async fn counted_on_a_stream(device: &Device) -> TestResult {
    let (keep, double) = (device.kernel(anywarp::Wgsl::new(FILTER).entry("keep"))?, device.kernel(DOUBLE)?);
    let (first, second) = (device.stream(), device.stream());
    filtered(device, |count, kept| {
        keep.launch().bind("kept", &mut *kept).bind("count", &mut *count).on(&first).threads(10_000)?;
        double.launch().bind("kept", kept).bind("count", &*count).on(&second).threads_of(count)?;
        Ok(())
    })
    .await
}
