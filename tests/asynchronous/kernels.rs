//! The kernel whose results the cases await.

use anywarp::{Device, UnifiedBuffer};

pub(crate) const WGSL: &str = "
@group(0) @binding(0) var<uniform> params: vec2<u32>; // factor, rounds
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&data) { return; }
    var value = data[id.x];
    for (var round = 0u; round < params.y; round++) { value = value * params.x + id.x; }
    data[id.x] = value;
}";

/// Computes `data[i] = data[i] * factor + i`.
pub(crate) fn scale(device: &Device, data: &mut UnifiedBuffer<u32>, factor: u32) -> anywarp::Result<()> {
    rounds(device, data, factor, 1)
}

/// Repeats the computation of [`scale`] `rounds` times, so that it takes long.
pub(crate) fn rounds(device: &Device, data: &mut UnifiedBuffer<u32>, factor: u32, rounds: u32) -> anywarp::Result<()> {
    let length = data.len();
    device.kernel(WGSL)?.launch().set("params", [factor, rounds]).bind("data", data).threads(length)?;
    Ok(())
}

/// The result of `scale` for equal elements.
pub(crate) fn scaled(value: u32, factor: u32, length: usize) -> Vec<u32> {
    (0..length as u32).map(|index| value.wrapping_mul(factor).wrapping_add(index)).collect()
}
