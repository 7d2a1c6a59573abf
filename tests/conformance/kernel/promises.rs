//! Kernels without bounds checks or with fast math, and the resources of a compiled kernel.

use anywarp::backend::BackendKind;
use anywarp::{Checks, Device, Unchecked, Wgsl};

use crate::suite::case::{Case, cases};
use crate::suite::data::floats;
use crate::suite::portable_waits::{ReadHere, select_here};
use anywarp_testing_devices::outcome::{TestResult, close, ensure, equal, same};

pub(crate) const CASES: &[Case] =
    cases![unchecked, fast_math, variants_are_compiled_separately, resources, workgroup_memory_up_to_the_limit,];

/// A kernel with dynamic indices, a loop that depends on data, and divisions, all of which need checks.
const COLLATZ: &str = "
@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;
@compute @workgroup_size(64)
fn collatz(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&steps) { return; }
    var n = table[id.x % arrayLength(&table)];
    var count = 0u;
    while n > 1u {
        n = select(3u * n + 1u, n / (2u - n % 2u), n % 2u == 0u);
        count += 1u;
    }
    steps[id.x] = count;
}";

fn collatz(mut n: u32) -> u32 {
    let mut count = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        count += 1;
    }
    count
}

async fn unchecked(device: &Device) -> TestResult {
    // SAFETY: every index is tested or a remainder, divisors are 1 or 2, and the sequences of these numbers all reach
    // 1.
    let promise = unsafe { Unchecked::promise() };
    let kernel = device.kernel(Wgsl::new(COLLATZ).checks(Checks::Off(promise)))?;
    let table: Vec<u32> = (1..=501).collect();
    let wanted: Vec<u32> = (0..1000).map(|i| collatz(table[i % table.len()])).collect();
    let table = device.buffer_from(&table)?;
    let mut steps = device.buffer::<u32>(1000)?;
    kernel.launch().bind("table", &table).bind("steps", &mut steps).threads(1000)?;
    same(&steps.read_here().await?, &wanted, "steps of the Collatz sequence")
}

const WAVES: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64)
fn waves(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) {
        let x = data[id.x];
        data[id.x] = sin(x) * exp(-x * x) / (1.0 + sqrt(abs(x)));
    }
}";

async fn fast_math(device: &Device) -> TestResult {
    let kernel = device.kernel(Wgsl::new(WAVES).fast_math())?;
    let input = floats(777);
    let mut data = device.buffer_from(&input)?;
    kernel.launch().bind("data", &mut data).threads(777)?;
    let wanted = |x: f32| x.sin() * (-x * x).exp() / (1.0 + x.abs().sqrt());
    let wanted: Vec<f32> = input.into_iter().map(wanted).collect();
    close(&data.read_here().await?, &wanted, 1e-4, "a product of functions")
}

async fn variants_are_compiled_separately(device: &Device) -> TestResult {
    // The test opens the device again, because other cases compile kernels on the shared one.
    let device = select_here(device.selector()).await?;
    let before = device.stats().counters.compilations;
    let text = format!("{WAVES}\n// told apart by what may be left out");
    device.kernel(Wgsl::new(text.as_str()))?;
    device.kernel(Wgsl::new(text.as_str()).fast_math())?;
    device.kernel(Wgsl::new(text.as_str()))?;
    equal(device.stats().counters.compilations, before + 2, "kernels compiled")
}

async fn resources(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> tile: array<f32, 256>;
         @group(0) @binding(0) var<storage, read_write> data: array<f32>;
         @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
             tile[i] = data[i];
             workgroupBarrier();
             data[i] = tile[255u - i];
         }",
    )?;
    let Some(resources) = kernel.resources() else {
        return equal(
            device.caps().backend == BackendKind::Cuda,
            false,
            "the cuda backend reports resources of kernels",
        );
    };
    let told = format!("{resources:?}");
    ensure((1..=255).contains(&resources.registers), || told.clone())?;
    ensure((1024..4096).contains(&resources.workgroup_bytes), || told.clone())?;
    ensure(resources.max_invocations >= 256 && resources.workgroups_per_multiprocessor >= 1, || told.clone())?;
    ensure(resources.occupancy > 0.0 && resources.occupancy <= 1.0, || told)
}

async fn workgroup_memory_up_to_the_limit(device: &Device) -> TestResult {
    // At most 60,000 words: clearing the 256 KiB of the CPU backend takes long. The compiler of DX12 (FXC) unrolls the
    // clearing, and needs a minute for 4 KiB and many minutes for 32 KiB.
    let most = if device.caps().backend == BackendKind::Dx12 { 256 } else { 60_000 };
    let words = (device.caps().limits.workgroup_storage / 4).min(most);
    let kernel = device.kernel(
        Wgsl::new(
            "override words: u32;
             var<workgroup> tile: array<u32, words>;
             @group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
                 var dirty = 0u;
                 for (var i = local; i < words; i += 64u) {
                     dirty |= tile[i];
                     tile[i] = i * 3u + group.x;
                 }
                 workgroupBarrier();
                 for (var i = local; i < words; i += 64u) {
                     dirty |= tile[words - 1u - i] ^ ((words - 1u - i) * 3u + group.x);
                 }
                 data[group.x * 64u + local] = dirty + group.x;
             }",
        )
        .set_override("words", f64::from(words)),
    )?;
    let mut data = device.buffer_from(&[u32::MAX; 64 * 5])?;
    kernel.launch().bind("data", &mut data).groups(5u32)?;
    let wanted: Vec<u32> = (0..5).flat_map(|group| [group; 64]).collect();
    same(&data.read_here().await?, &wanted, "words that were dirty or lost")
}
