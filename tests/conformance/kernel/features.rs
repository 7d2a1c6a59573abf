//! Optional WGSL features: kernels with them work, or the error names the feature, the device and the line.

use anywarp::{Device, Kernel, KernelError, Wgsl, f16};

use crate::suite::case::{Case, cases};
use crate::suite::data::{floats, words};
use crate::suite::portable_waits::ReadHere;
use crate::suite::tolerance;
use anywarp_testing_devices::outcome::{TestResult, close, equal, refused, same, skip};

pub(crate) const CASES: &[Case] = cases![
    f16 = half_floats,
    i16 = short_integers,
    i64 = long_integers,
    f64 = double_floats,
    subgroups,
    subgroups_need_no_enable,
    f32_atomics = float_atomics,
    i64_atomics = long_atomics,
    quantize_to_f16,
    cooperative_matrix,
];

/// Returns the kernel if the device has `feature`; otherwise checks the error, which must name `line`, the first line
/// that needs the feature, and returns `None`.
fn needs(device: &Device, feature: &'static str, wgsl: &str, line: &str) -> TestResult<Option<Kernel>> {
    let source = Wgsl::new(wgsl).file("wanting.wgsl");
    if device.caps().feature_names().contains(&feature) {
        return Ok(Some(device.kernel(source)?));
    }
    let missing = |error: &KernelError| matches!(error, KernelError::MissingFeature { feature: f, .. } if f == feature);
    refused(device.kernel(source), missing, &[feature, &device.caps().name, "wanting.wgsl:", line])?;
    Ok(None)
}

async fn half_floats(device: &Device) -> TestResult {
    let source = "enable f16;
        @group(0) @binding(0) var<storage, read_write> data: array<f16>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&data) { data[id.x] = data[id.x] * 3.0h + 0.5h; }
        }";
    let Some(kernel) = needs(device, "f16", source, "f16")? else { return Ok(()) };
    let input: Vec<f16> = floats(130).into_iter().map(f16::from_f32).collect();
    let mut data = device.buffer_from(&input)?;
    kernel.launch().bind("data", &mut data).threads(130)?;
    let got: Vec<f32> = data.read_here().await?.iter().map(|value| value.to_f32()).collect();
    let wanted: Vec<f32> = input.iter().map(|value| value.to_f32() * 3.0 + 0.5).collect();
    close(&got, &wanted, 4.0 * tolerance::HALF, "x * 3 + 0.5")
}

async fn short_integers(device: &Device) -> TestResult {
    let source = "enable wgpu_int16;
        @group(0) @binding(0) var<storage, read_write> signed: array<i16>;
        @group(0) @binding(1) var<storage, read_write> unsigned: array<u16>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            signed[id.x] = signed[id.x] - i16(1);
            unsigned[id.x] = unsigned[id.x] - u16(1);
        }";
    let Some(kernel) = needs(device, "i16", source, "16")? else { return Ok(()) };
    let mut signed = device.buffer_from(&[i16::MIN, 0, 1, i16::MAX])?;
    let mut unsigned = device.buffer_from(&[0u16, 1, 2, u16::MAX])?;
    kernel.launch().bind("signed", &mut signed).bind("unsigned", &mut unsigned).threads(4)?;
    same(&signed.read_here().await?, &[i16::MAX, -1, 0, i16::MAX - 1], "i16, wrapping")?;
    same(&unsigned.read_here().await?, &[u16::MAX, 0, 1, u16::MAX - 1], "u16, wrapping")
}

async fn long_integers(device: &Device) -> TestResult {
    let source = "@group(0) @binding(0) var<storage, read_write> signed: array<i64>;
        @group(0) @binding(1) var<storage, read_write> unsigned: array<u64>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            signed[id.x] = signed[id.x] * 3li - 1li;
            unsigned[id.x] = (unsigned[id.x] << 4u) / 7lu;
        }";
    let Some(kernel) = needs(device, "i64", source, "i64")? else { return Ok(()) };
    let input = [0i64, -1, i64::MAX, 1 << 40];
    let mut signed = device.buffer_from(&input)?;
    let mut unsigned = device.buffer_from(&input.map(|value| value as u64))?;
    kernel.launch().bind("signed", &mut signed).bind("unsigned", &mut unsigned).threads(4)?;
    same(&signed.read_here().await?, &input.map(|value| value.wrapping_mul(3).wrapping_sub(1)), "i64")?;
    same(&unsigned.read_here().await?, &input.map(|value| ((value as u64) << 4) / 7), "u64")
}

async fn double_floats(device: &Device) -> TestResult {
    let source = "@group(0) @binding(0) var<storage, read_write> data: array<f64>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x] = data[id.x] * 0.5lf + 1.0lf;
        }";
    let Some(kernel) = needs(device, "f64", source, "f64")? else { return Ok(()) };
    let input = [0.0f64, 1e300, -3.25, (1u64 << 52) as f64];
    let mut data = device.buffer_from(&input)?;
    kernel.launch().bind("data", &mut data).threads(4)?;
    // The values include 1e300 and 2^51 + 1, which `f32` cannot represent.
    same(&data.read_here().await?, &input.map(|value| value * 0.5 + 1.0), "f64")
}

const SUBGROUPS: &str = "
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> sizes: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_invocation_id) lane: u32) {
    let before = subgroupExclusiveAdd(data[id.x]);
    let sum = subgroupAdd(data[id.x]);
    if lane == 0u { sums[id.x] = sum; }
    sizes[id.x] = select(0u, size, before + data[id.x] <= sum);
}";

async fn run_subgroups(device: &Device, kernel: &Kernel) -> TestResult {
    let input: Vec<u32> = words(256).iter().map(|value| value % 1000).collect();
    let data = device.buffer_from(&input)?;
    let (mut sums, mut sizes) = (device.buffer::<u32>(256)?, device.buffer::<u32>(256)?);
    kernel.launch().bind("data", &data).bind("sums", &mut sums).bind("sizes", &mut sizes).threads(256)?;
    // The device chooses how lanes form subgroups, but each lane counts exactly once.
    equal(sums.read_here().await?.iter().sum::<u32>(), input.iter().sum::<u32>(), "the sum over all subgroups")?;
    let (least, most) = device.caps().subgroup_size.unwrap_or_default();
    let within = sizes.read_here().await?.iter().all(|size| (least..=most).contains(size));
    equal(within, true, "all prefixes are at most the sum, and all sizes within the device's bounds")
}

async fn subgroups(device: &Device) -> TestResult {
    let source = format!("enable subgroups;{SUBGROUPS}");
    let Some(kernel) = needs(device, "subgroups", &source, "ubgroup")? else { return Ok(()) };
    run_subgroups(device, &kernel).await
}

async fn subgroups_need_no_enable(device: &Device) -> TestResult {
    let Some(kernel) = needs(device, "subgroups", SUBGROUPS, "ubgroup")? else { return Ok(()) };
    run_subgroups(device, &kernel).await
}

async fn float_atomics(device: &Device) -> TestResult {
    let source = "@group(0) @binding(0) var<storage, read_write> total: atomic<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            atomicAdd(&total, f32(id.x));
        }";
    let Some(kernel) = needs(device, "f32_atomics", source, "atomic")? else { return Ok(()) };
    let mut total = device.buffer_from(&[0.5f32])?;
    kernel.launch().bind("total", &mut total).threads(1024)?;
    // The sum is exact in any order, because all partial sums are multiples of 0.5 below 2^20.
    equal(total.read_here().await?[0], 523_776.5, "0.5 + 0 + 1 + ... + 1023")?;
    let source = "@group(0) @binding(0) var<storage, read_write> total: atomic<f32>;
        @group(0) @binding(1) var<storage, read_write> old: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x % 3u != 0u { old[id.x] = atomicAdd(&total, 1.0); }
        }";
    let mut old = device.buffer_from(&vec![-1f32; 192])?;
    total.copy_from_slice(&[0.0])?;
    device.kernel(source)?.launch().bind("total", &mut total).bind("old", &mut old).threads(192)?;
    let mut old = old.read_here().await?.to_vec();
    old.sort_by(f32::total_cmp);
    let counted: Vec<f32> = (0..192u16).map(|place| if place < 64 { -1.0 } else { f32::from(place - 64) }).collect();
    same(&old, &counted, "each of 128 invocations sees another old value")
}

async fn long_atomics(device: &Device) -> TestResult {
    let source = "@group(0) @binding(0) var<storage, read_write> total: atomic<u64>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            atomicAdd(&total, u64(id.x) << 20u);
        }";
    // On a device without 64-bit integers, the error names the integers instead of their atomics.
    let wanted = if device.caps().feature_names().contains(&"i64") { "i64_atomics" } else { "i64" };
    let Some(kernel) = needs(device, wanted, source, "")? else { return Ok(()) };
    let mut total = device.buffer_from(&[1u64])?;
    kernel.launch().bind("total", &mut total).threads(1024)?;
    equal(total.read_here().await?[0], 1 + (523_776 << 20), "a sum beyond 32 bits")
}

async fn quantize_to_f16(device: &Device) -> TestResult {
    let source = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&data) { data[id.x] = quantizeToF16(data[id.x]); }
        }";
    let Some(kernel) = needs(device, "quantizeToF16", source, "quantizeToF16")? else { return Ok(()) };
    let mut data = device.buffer_from(&floats(100))?;
    kernel.launch().bind("data", &mut data).threads(100)?;
    close(&data.read_here().await?, &floats(100), tolerance::HALF, "rounded to f16")
}

async fn cooperative_matrix(device: &Device) -> TestResult {
    let source = "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(64) fn main() {
            let tile = coopLoad<coop_mat8x8<f32, C>>(&data[0], 8u);
            coopStore(tile, &data[64], 8u);
        }";
    match needs(device, "cooperative_matrix", source, "coop")? {
        None => Ok(()),
        Some(_) => skip("the supported shapes differ between devices"),
    }
}
