//! Launches with an invalid grid or invalid memory.

use anywarp::{Device, LaunchError};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::{ADD, COPY, add};
use crate::suite::portable_waits::{ReadHere, ReopenHere, SynchronizeHere};
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same, skip};

pub(crate) const CASES: &[Case] = cases![
    negative_grids,
    grids_beyond_32_bits,
    overlapping_slices,
    read_and_written_in_one_buffer,
    buffer_of_another_device,
    kernel_of_another_device,
    binding_above_the_limit,
    refused_launches_change_nothing,
];

async fn negative_grids(device: &Device) -> TestResult {
    let kernel = device.kernel("@compute @workgroup_size(64) fn main() {}")?;
    let negative = |error: &LaunchError| matches!(error, LaunchError::NegativeGrid { .. });
    refused(kernel.launch().threads(-1), negative, &["kernel:main", "dimension 0 of the grid is -1"])?;
    refused(kernel.launch().groups([5, -3]), negative, &["dimension 1", "-3"])?;
    refused(kernel.launch().groups((0, 5, -3)), negative, &["dimension 2", "-3"])?;
    // A launch without bindings is still valid.
    kernel.launch().threads(1)?;
    device.synchronize_here().await?;
    Ok(())
}

fn huge(wanted: &'static str) -> impl Fn(&LaunchError) -> bool {
    move |error| matches!(error, LaunchError::HugeGrid { unit, .. } if *unit == wanted)
}

async fn grids_beyond_32_bits(device: &Device) -> TestResult {
    let kernel = device.kernel("@compute @workgroup_size(64) fn main() {}")?;
    let threads = "threads in one dimension";
    refused(kernel.launch().threads(1u64 << 32), huge(threads), &["4294967296", threads])?;
    refused(kernel.launch().threads(u64::MAX), huge(threads), &["18446744073709551615"])?;
    refused(kernel.launch().groups(1u64 << 32), huge("workgroups"), &["4294967296", "workgroups"])?;
    refused(kernel.launch().groups([1 << 16, 1 << 16]), huge("workgroups"), &["[65536, 65536]"])?;
    refused(kernel.launch().groups([u64::MAX, u64::MAX, u64::MAX]), huge("workgroups"), &["workgroups"])?;
    refused(kernel.launch().groups([usize::MAX, 2]), huge("workgroups"), &["split the work"])
}

const TWO: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = 1u; b[0] = a[1]; }";

/// A launch refuses overlapping slices for written variables: in safe Rust only shared borrows can overlap.
async fn overlapping_slices(device: &Device) -> TestResult {
    let kernel = device.kernel(TWO)?;
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let mut data = device.buffer::<u32>(4 * step)?;
    let shared = |error: &LaunchError| matches!(error, LaunchError::NotMutable { .. });
    let launch = kernel.launch().bind("a", data.slice(..2 * step)).bind("b", data.slice(step..));
    refused(launch.groups(1), shared, &["'a'", "&mut"])?;
    // Adjacent parts are valid.
    let (mut low, mut high) = data.split_at_mut(2 * step);
    kernel.launch().bind("a", &mut low).bind("b", &mut high).groups(1)?;
    equal((data.read_here().await?[0], data.read_here().await?[2 * step]), (1, 0), "two parts that touch")
}

/// A `read_write` variable and a read-only one in one buffer are refused where bindings must not alias, because wgpu
/// tracks whole buffers.
async fn read_and_written_in_one_buffer(device: &Device) -> TestResult {
    let kernel = device.kernel(COPY)?;
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let mut data = device.buffer_from(&vec![3u32; 4 * step])?;
    let (source, mut result) = data.split_at_mut(2 * step);
    let launch = kernel.launch().bind("source", &source).bind("result", &mut result);
    if device.caps().aliased_bindings {
        launch.threads(2 * step)?;
        return Ok(());
    }
    let conflict = |error: &LaunchError| matches!(error, LaunchError::Conflict { .. });
    refused(launch.threads(2 * step), conflict, &["'source' and 'result'", "one buffer", "separate buffers"])
}

async fn buffer_of_another_device(device: &Device) -> TestResult {
    let other = device.reopen_here().await?;
    let kernel = device.kernel(COPY)?;
    let theirs = other.buffer_from(&[1u32; 64])?;
    let mut ours = device.buffer_from(&[2u32; 64])?;
    let elsewhere = |error: &LaunchError| matches!(error, LaunchError::OtherDevice { what, .. } if what == "the buffer bound to 'source'");
    let launch = kernel.launch().bind("source", &theirs).bind("result", &mut ours);
    refused(launch.threads(64), elsewhere, &["'source'", device.selector()])?;
    let foreign = |error: &anywarp::BufferError| matches!(error, anywarp::BufferError::OtherDevice { .. });
    refused(ours.copy_from(&theirs), foreign, &["copying on", "the source belongs to"])?;
    let grid = other.buffer_from(&[1u32; 3])?;
    let source = device.buffer_from(&[7u32; 64])?;
    let launch = kernel.launch().bind("source", &source).bind("result", &mut ours);
    let elsewhere = |error: &LaunchError| matches!(error, LaunchError::OtherDevice { .. });
    refused(launch.indirect(&grid, 0), elsewhere, &["indirect grid"])?;
    same(&ours.read_here().await?, &[2; 64], "no launch has run")
}

async fn kernel_of_another_device(device: &Device) -> TestResult {
    let other = device.reopen_here().await?;
    let kernel = other.kernel(ADD)?;
    let mut data = device.buffer::<u32>(64)?;
    let elsewhere = |error: &LaunchError| matches!(error, LaunchError::OtherDevice { what, .. } if what == "the buffer bound to 'data'");
    let launch = kernel.launch().bind("data", &mut data).set("params.by", 1u32);
    refused(
        launch.threads(64),
        elsewhere,
        &["'data'", "kernel:add", "opened twice", "clone the `Device`", "`buffer.device()`"],
    )?;
    // The handle that a buffer returns to its own device is accepted.
    let kernel = data.device().kernel(ADD)?;
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).threads(64)?;
    let again = kernel.device().buffer_from(&[1u32; 64])?;
    data.copy_from(&again)?;
    Ok(())
}

async fn binding_above_the_limit(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let bytes = limits.storage_binding_size.next_multiple_of(16) + 16;
    // The test is skipped where a larger buffer would take too much time or memory.
    if bytes > (1 << 30) || bytes > limits.buffer_size {
        return skip(format!("a binding may be {} bytes long", limits.storage_binding_size));
    }
    let Ok(mut data) = device.buffer::<u32>(bytes as usize / 4) else {
        return skip(format!("no memory for {bytes} bytes"));
    };
    let above = |error: &LaunchError| matches!(error, LaunchError::AboveLimit { wanted, .. } if *wanted == bytes);
    let launch = device.kernel(ADD)?;
    let launch = launch.launch().bind("data", &mut data).set("params.by", 1u32);
    refused(launch.threads(64), above, &["'data'", &limits.storage_binding_size.to_string(), "slices"])?;
    // As the error suggests, slices of the buffer can be bound.
    let half = (bytes as usize / 8).next_multiple_of(64);
    add(device, data.slice_mut(half..), 64, 5)?;
    equal(data.slice(half..half + 2).read_here().await?.to_vec(), vec![5, 5], "a slice of it")
}

async fn refused_launches_change_nothing(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let kernel = fresh.kernel(ADD)?;
    let mut data = fresh.buffer_from(&[1u32; 64])?;
    drop(data.read_here().await?);
    let before = fresh.stats();
    for _ in 0..10 {
        let missing = |error: &LaunchError| matches!(error, LaunchError::Missing { .. });
        refused(kernel.launch().bind("data", &mut data).threads(64), missing, &["params.by"])?;
        let mut recording = fresh.recording();
        let launch = kernel.launch().bind("data", &mut data).record(&mut recording);
        refused(launch.threads(64), missing, &["params.by"])?;
        equal(recording.len(), 0, "commands recorded")?;
    }
    equal(fresh.stats(), before, "the statistics")?;
    same(&data.read_here().await?, &[1; 64], "the data")
}
