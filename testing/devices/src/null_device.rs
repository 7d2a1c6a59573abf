//! A null device with configurable failures, and a kernel for it (which it never runs).

use std::sync::Arc;

use anywarp::Device;
use anywarp_null::{Faults, FaultyBackend, NullBackend, NullOptions};

/// Computes `y += x`.
pub const ADD: &str = "
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] += x[id.x]; }
}";

/// A device, the wrapper that makes it fail, and the backend that records its work.
pub fn open(options: &NullOptions) -> (Device, Arc<FaultyBackend>, Arc<NullBackend>) {
    let null = NullBackend::with(options);
    let faulty = FaultyBackend::new(Arc::clone(&null) as _, Faults::new());
    (Device::from_backend(Arc::clone(&faulty) as _), faulty, null)
}
