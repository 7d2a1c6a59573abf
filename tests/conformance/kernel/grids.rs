//! Grids with one, two and three dimensions, in threads, in workgroups and from a buffer.

use anywarp::{Device, LaunchError};

use crate::suite::case::{Case, cases};
use crate::suite::data::SIZES;
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] = cases![
    threads_are_rounded_up,
    two_dimensions,
    three_dimensions,
    every_type_of_grid_argument,
    workgroups_of_every_shape,
    indirect,
    indirect_written_by_a_kernel,
    indirect_zero_runs_nothing,
    indirect_out_of_range_is_refused,
];

const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@compute @workgroup_size(64) fn main() { atomicAdd(&count, 1u); }";

async fn threads_are_rounded_up(device: &Device) -> TestResult {
    let kernel = device.kernel(COUNT)?;
    for &size in SIZES {
        let mut count = device.buffer::<u32>(1)?;
        kernel.launch().bind("count", &mut count).threads(size)?;
        equal(count.read_here().await?[0], size.next_multiple_of(64) as u32, "invocations")?;
    }
    Ok(())
}

const IDS: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4, 2, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let width = groups.x * 4u;
    let height = groups.y * 2u;
    out[(id.z * height + id.y) * width + id.x] = id.x + 100u * id.y + 10000u * id.z;
}";

/// The result of [`IDS`] for a grid of this size.
fn ids(width: u32, height: u32, depth: u32) -> Vec<u32> {
    let row = |y, z| (0..width).map(move |x| x + 100 * y + 10_000 * z);
    (0..depth).flat_map(|z| (0..height).flat_map(move |y| row(y, z))).collect()
}

async fn two_dimensions(device: &Device) -> TestResult {
    let kernel = device.kernel(IDS)?;
    let mut out = device.buffer::<u32>(32 * 14)?;
    // The grid in threads is rounded up to whole workgroups: 29 to 32, and 13 to 14.
    kernel.launch().bind("out", &mut out).threads([29, 13])?;
    same(&out.read_here().await?, &ids(32, 14, 1), "29 by 13 threads")
}

async fn three_dimensions(device: &Device) -> TestResult {
    let kernel = device.kernel(IDS)?;
    let mut out = device.buffer::<u32>(8 * 6 * 5)?;
    kernel.launch().bind("out", &mut out).groups((2, 3, 5))?;
    same(&out.read_here().await?, &ids(8, 6, 5), "2 by 3 by 5 workgroups")
}

async fn every_type_of_grid_argument(device: &Device) -> TestResult {
    let kernel = device.kernel(COUNT)?;
    let mut count = device.buffer::<u32>(1)?;
    kernel.launch().bind("count", &mut count).groups(1i32)?;
    kernel.launch().bind("count", &mut count).groups(1u32)?;
    kernel.launch().bind("count", &mut count).groups(1u64)?;
    kernel.launch().bind("count", &mut count).groups(1usize)?;
    kernel.launch().bind("count", &mut count).groups([2u32])?;
    kernel.launch().bind("count", &mut count).groups([2u64, 3])?;
    kernel.launch().bind("count", &mut count).groups([2usize, 3, 4])?;
    kernel.launch().bind("count", &mut count).groups((5, 2))?;
    kernel.launch().bind("count", &mut count).groups((5u32, 2, 2))?;
    kernel.launch().bind("count", &mut count).threads((100, 2, 2))?;
    equal(count.read_here().await?[0], 64 * (4 + 2 + 6 + 24 + 10 + 20 + 8), "invocations of all launches")
}

async fn workgroups_of_every_shape(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let most = limits.workgroup_invocations;
    for [x, y, z] in [[1, 1, 1], [most.min(limits.workgroup_size[0]), 1, 1], [1, 256, 1], [1, 1, 64], [7, 5, 3]] {
        let kernel = device.kernel(format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size({x}, {y}, {z})
             fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) index: u32,
                     @builtin(workgroup_id) group: vec3<u32>) {{
                 let expected = (id.z * {y}u + id.y) * {x}u + id.x;
                 out[group.x * {size}u + index] = select(0u, index + 1u, index == expected);
             }}",
            size = x * y * z
        ))?;
        equal(kernel.workgroup_size(), [x, y, z], "workgroup size")?;
        let size = x * y * z;
        let mut out = device.buffer::<u32>(3 * size as usize)?;
        kernel.launch().bind("out", &mut out).groups(3)?;
        let wanted: Vec<u32> = (0..3 * size).map(|n| n % size + 1).collect();
        same(&out.read_here().await?, &wanted, &format!("{x} by {y} by {z}"))?;
    }
    Ok(())
}

async fn indirect(device: &Device) -> TestResult {
    let kernel = device.kernel(IDS)?;
    let mut out = device.buffer::<u32>(8 * 6 * 5)?;
    let grids = device.buffer_from(&[9u32, 9, 9, 2, 3, 5, 9, 9])?;
    kernel.launch().bind("out", &mut out).indirect(&grids, 3)?;
    same(&out.read_here().await?, &ids(8, 6, 5), "three words in the middle of a buffer")?;
    out.fill(0)?;
    kernel.launch().bind("out", &mut out).indirect(grids.slice(2..), 1)?;
    same(&out.read_here().await?, &ids(8, 6, 5), "three words in the middle of a slice")
}

async fn indirect_written_by_a_kernel(device: &Device) -> TestResult {
    let plan = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> grid: array<u32, 3>;
         @compute @workgroup_size(1) fn main() { grid = array<u32, 3>(grid[0] * 10u, 2u, 1u); }",
    )?;
    let count_kernel = device.kernel(COUNT)?;
    let mut grid = device.buffer_from(&[3u32, 0, 0])?;
    let mut count = device.buffer::<u32>(1)?;
    plan.launch().bind("grid", &mut grid).groups(1)?;
    count_kernel.launch().bind("count", &mut count).indirect(&grid, 0)?;
    plan.launch().bind("grid", &mut grid).groups(1)?;
    count_kernel.launch().bind("count", &mut count).indirect(&grid, 0)?;
    equal(count.read_here().await?[0], 64 * (60 + 600), "invocations of both launches")
}

async fn indirect_zero_runs_nothing(device: &Device) -> TestResult {
    let kernel = device.kernel(COUNT)?;
    let limit = device.caps().limits.workgroups_per_dimension;
    let grids = device.buffer_from(&[0u32, 1, 1, 1, 0, 1, 1, 1, 0, limit.saturating_add(1), 1, 1])?;
    let mut count = device.buffer::<u32>(1)?;
    for index in [0, 3, 6, 9] {
        kernel.launch().bind("count", &mut count).indirect(&grids, index)?;
    }
    equal(count.read_here().await?[0], 0, "invocations of grids that are empty or above the limit")
}

async fn indirect_out_of_range_is_refused(device: &Device) -> TestResult {
    let kernel = device.kernel(COUNT)?;
    let grids = device.buffer_from(&[1u32; 5])?;
    let mut count = device.buffer::<u32>(1)?;
    for index in [3, 5, usize::MAX] {
        let launch = kernel.launch().bind("count", &mut count);
        let outside = |error: &LaunchError| matches!(error, LaunchError::Slice { .. });
        refused(launch.indirect(&grids, index), outside, &["indirect grid", "5 elements"])?;
    }
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let mut both = device.buffer_from(&vec![1u32; step.max(3) + 1])?;
    let (grid, mut target) = both.split_at_mut(step.max(3));
    let conflict = |error: &LaunchError| matches!(error, LaunchError::Conflict { .. });
    let launch = kernel.launch().bind("count", &mut target);
    refused(launch.indirect(&grid, 0), conflict, &["'count'", "indirect grid", "one buffer"])?;
    equal(count.read_here().await?[0], 0, "invocations")
}
