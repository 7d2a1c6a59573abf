//! Kernels that several cases use.

use anywarp::{Device, SliceMut};

use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal};

/// A kernel that computes `data[i] += by` for every word.
pub(crate) const ADD: &str = "
struct Params { by: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] += params.by; }
}";

/// A kernel that computes `result[i] = source[i]` for every word.
pub(crate) const COPY: &str = "
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&result) { result[id.x] = source[id.x]; }
}";

/// Launches [`ADD`] on `length` words.
pub(crate) fn add<'a>(device: &Device, data: impl Into<SliceMut<'a, u32>>, length: usize, by: u32) -> TestResult {
    let mut data = data.into();
    device.kernel(ADD)?.launch().bind("data", &mut data).set("params.by", by).threads(length)?;
    Ok(())
}

/// Checks that the device can still run a simple kernel.
pub(crate) async fn still_works(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[40u32, 41])?;
    add(device, &mut data, 2, 2)?;
    equal(data.read_here().await?.to_vec(), vec![42, 43], "a plain launch")
}
