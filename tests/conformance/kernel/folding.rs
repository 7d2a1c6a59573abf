//! Grids that exceed the device's limit in one dimension, so that the device runs them in several: the kernel's
//! built-in values are those of the requested grid.

use anywarp::{Device, KernelError, LaunchError};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same, skip};

pub(crate) const CASES: &[Case] = cases![
    at_the_limit = |device| every_id(device, [65_535, 1, 1]),
    folded_x_70000 = |device| every_id(device, [70_000, 1, 1]),
    folded_y_70000 = |device| every_id(device, [1, 70_000, 1]),
    folded_z_70000 = |device| every_id(device, [1, 1, 70_000]),
    folded_x_196609 = |device| every_id(device, [65_536 * 3 + 1, 1, 1]),
    folded_y_196609 = |device| every_id(device, [1, 65_536 * 3 + 1, 1]),
    folded_z_196609 = |device| every_id(device, [1, 1, 65_536 * 3 + 1]),
    folded_x_and_more = |device| every_id(device, [65_537, 3, 2]),
    folded_z_and_more = |device| every_id(device, [2, 3, 65_537]),
    folded_threads,
    folded_with_barriers,
    folded_with_uniforms,
    folded_with_immediates,
    folded_in_the_last_group,
    folded_and_plain_in_turns,
    folded_with_names_of_our_own,
];

/// A kernel that counts the invocations of each workgroup in the logical grid, and every built-in value that
/// contradicts the others.
const EVERY_ID: &str = "
@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> wrong: array<atomic<u32>, 4>;
@group(0) @binding(2) var<uniform> asked: vec3<u32>;

@compute @workgroup_size(2, 2, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(global_invocation_id) global: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>,
        @builtin(local_invocation_index) index: u32) {
    if any(groups != asked) { atomicAdd(&wrong[0], 1u); }
    if any(group >= asked) { atomicAdd(&wrong[1], 1u); }
    if any(global != group * vec3(2u, 2u, 1u) + local) { atomicAdd(&wrong[2], 1u); }
    if index != local.y * 2u + local.x { atomicAdd(&wrong[3], 1u); }
    let linear = (group.z * asked.y + group.y) * asked.x + group.x;
    atomicAdd(&seen[linear * 4u + index], 1u);
}";

async fn every_id(device: &Device, grid: [u32; 3]) -> TestResult {
    let kernel = device.kernel(EVERY_ID)?;
    let invocations = 4 * grid.iter().product::<u32>() as usize;
    let mut seen = device.buffer::<u32>(invocations)?;
    let mut wrong = device.buffer::<u32>(4)?;
    kernel.launch().bind("seen", &mut seen).bind("wrong", &mut wrong).set("asked", grid).groups(grid)?;
    same(
        &wrong.read_here().await?,
        &[0; 4],
        "wrong values of num_workgroups, workgroup_id, global_invocation_id and local index",
    )?;
    let seen = seen.read_here().await?;
    equal(
        seen.iter().position(|count| *count != 1),
        None,
        "index of the first invocation that did not run exactly once",
    )
}

async fn folded_threads(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < arrayLength(&data) { data[id.x] += id.x * 2u; }
         }",
    )?;
    let length = 32 * 65_536 + 5;
    let mut data = device.buffer_from(&vec![1u32; length])?;
    kernel.launch().bind("data", &mut data).threads(length)?;
    let data = data.read_here().await?;
    let wrong = data.iter().enumerate().position(|(n, value)| *value != 2 * n as u32 + 1);
    equal(wrong, None, "index of the first wrong element")
}

async fn folded_with_barriers(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> shared_words: array<u32, 8>;
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(8)
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
             shared_words[local] = group.x * 8u + local;
             workgroupBarrier();
             data[group.x * 8u + local] = shared_words[7u - local];
         }",
    )?;
    let groups = 66_000;
    let mut data = device.buffer::<u32>(8 * groups)?;
    kernel.launch().bind("data", &mut data).groups(groups)?;
    let data = data.read_here().await?;
    let wrong = data.iter().enumerate().position(|(n, value)| *value as usize != n / 8 * 8 + 7 - n % 8);
    equal(wrong, None, "index of the first wrong element")
}

const MARK: &str = "
@group(1) @binding(0) var<uniform> first: u32;
@group(1) @binding(3) var<uniform> second: vec4<u32>;
@group(2) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3<u32>) {
    data[group.x] = group.x * first + second.w;
}";

async fn folded_with_uniforms(device: &Device) -> TestResult {
    let kernel = device.kernel(MARK)?;
    let mut data = device.buffer::<u32>(70_000)?;
    let launch = kernel.launch().set("first", 3u32).set("second", [0u32, 0, 0, 5]);
    launch.bind("data", &mut data).groups(70_000)?;
    same(&data.read_here().await?, &(0..70_000).map(|n| 3 * n + 5).collect::<Vec<u32>>(), "values")
}

async fn folded_with_immediates(device: &Device) -> TestResult {
    if !device.caps().feature_names().contains(&"immediates") {
        return skip("the device has no immediates");
    }
    let kernel = device.kernel(
        "struct Now { factor: u32, shift: u32 }
         var<immediate> now: Now;
         @group(0) @binding(0) var<uniform> more: u32;
         @group(0) @binding(1) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3<u32>) {
             data[group.x] = group.x * now.factor + now.shift + more;
         }",
    )?;
    let mut data = device.buffer::<u32>(70_000)?;
    let launch = kernel.launch().set("now.factor", 3u32).set("now.shift", 5u32).set("more", 100u32);
    launch.bind("data", &mut data).groups(70_000)?;
    same(&data.read_here().await?, &(0..70_000).map(|n| 3 * n + 105).collect::<Vec<u32>>(), "values")
}

/// A launch can be folded (its grid spread over other dimensions) if its kernel uses the last binding of the last group
/// that most devices offer. On a device where no group follows it, the launch cannot be folded, and the error names the
/// needed number of groups.
async fn folded_in_the_last_group(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let (group, binding) = (limits.bind_groups.min(32) - 1, limits.bindings_per_group.min(1000) - 1);
    let kernel = device.kernel(format!(
        "@group({group}) @binding({binding}) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3<u32>) {{ data[group.x] = group.x; }}"
    ))?;
    let mut data = device.buffer::<u32>(70_000)?;
    let launched = kernel.launch().bind("data", &mut data).groups(70_000);
    let folded = limits.workgroups_per_dimension < 70_000;
    if folded && (group + 1, binding + 1) == (limits.bind_groups, limits.bindings_per_group) {
        let full = |error: &LaunchError| matches!(error, LaunchError::Kernel(KernelError::AboveLimit { .. }));
        return refused(launched, full, &["bind groups", &(group + 2).to_string()]);
    }
    launched?;
    same(&data.read_here().await?, &(0..70_000).collect::<Vec<u32>>(), "ids")
}

async fn folded_and_plain_in_turns(device: &Device) -> TestResult {
    let kernel = device.kernel(MARK)?;
    let mut data = device.buffer::<u32>(70_000)?;
    let mut wanted = vec![0u32; 70_000];
    for round in 0..6u32 {
        let groups = if round % 2 == 0 { 70_000 } else { 1000 };
        let launch = kernel.launch().set("first", round).set("second", [0, 0, 0, round]);
        launch.bind("data", &mut data).groups(groups)?;
        wanted[..groups].iter_mut().enumerate().for_each(|(n, value)| *value = n as u32 * round + round);
    }
    same(&data.read_here().await?, &wanted, "the last value of each")
}

/// A launch can be folded if its kernel uses the names that folding would choose, and if the kernel's built-ins are
/// members of a struct.
async fn folded_with_names_of_our_own(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Ids { @builtin(workgroup_id) logical_id: vec3<u32>, @builtin(num_workgroups) linear: vec3<u32> }
         @group(0) @binding(0) var<storage, read_write> anywarp_grid: array<u32>;
         fn main_on_logical_grid(x: u32) -> u32 { return 2u * x; }
         @compute @workgroup_size(1) fn main(ids: Ids) {
             if ids.linear.x == 70000u { anywarp_grid[ids.logical_id.x] = main_on_logical_grid(ids.logical_id.x); }
         }",
    )?;
    let mut data = device.buffer::<u32>(70_000)?;
    kernel.launch().bind("anywarp_grid", &mut data).groups(70_000)?;
    same(&data.read_here().await?, &(0..70_000).map(|n| 2 * n).collect::<Vec<u32>>(), "values")
}
