//! The properties of a device on which the choice of a kernel depends.

use anywarp_backend::{BackendKind, DeviceKind};

use crate::device::Device;

/// The properties of a device on which a choice depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether the device is a processor, which runs barriers slowly.
    pub(crate) software: bool,
    /// Whether the device is the CPU backend of this project, whose code for workgroups of one invocation is scalar.
    pub(crate) walks: bool,
    /// Whether the device runs kernels with CUDA.
    pub(crate) cuda: bool,
}

impl Target {
    pub(crate) fn of(device: &Device) -> Self {
        let caps = device.caps();
        Self {
            software: caps.kind == DeviceKind::Software,
            walks: caps.backend == BackendKind::Cpu,
            cuda: caps.backend == BackendKind::Cuda,
        }
    }
}
