//! CPU devices that can bind less memory to a kernel than the CPU backend itself.

use std::sync::Arc;

use anywarp::Device;
use anywarp_backend::{Backend, BackendKind, DeviceKind};
use anywarp_testing_devices::limited::limited;

/// The largest size of a binding in bytes.
pub(super) const LIMIT: u64 = 1 << 20;

/// The CPU device unchanged, with bindings of at most [`LIMIT`] bytes, and with this limit and the properties of a
/// graphics card, for which operators choose other kernels.
pub(super) fn devices() -> [(&'static str, Device); 3] {
    let open = || -> Arc<dyn Backend> { anywarp_cpu::open(anywarp_cpu::Options::default()).expect("the processor") };
    [
        ("the processor", Device::from_backend(open())),
        ("a limited processor", limited(open(), |caps| caps.limits.storage_binding_size = LIMIT)),
        (
            "a limited card",
            limited(open(), |caps| {
                caps.limits.storage_binding_size = LIMIT;
                caps.limits.storage_offset_alignment = 256;
                caps.aliased_bindings = false;
                caps.kind = DeviceKind::Discrete;
                caps.backend = BackendKind::Vulkan;
            }),
        ),
    ]
}
