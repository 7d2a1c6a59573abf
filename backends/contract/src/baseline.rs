//! Descriptions of devices that do not exist: the WebGPU baseline, and a device without limits.

use naga::valid::Capabilities;

use crate::{BackendKind, Caps, Limits};

impl Caps {
    /// The capabilities of a device with the default limits of the WebGPU specification ([`Limits::webgpu`]) and none of
    /// its optional features: a kernel that needs no more runs in every browser. No such device is opened.
    ///
    /// ```
    /// use anywarp_backend::Caps;
    ///
    /// let baseline = Caps::webgpu_baseline();
    /// assert_eq!(baseline.limits.workgroup_size, [256, 256, 64]);
    /// assert!(!baseline.feature_names().contains(&"f16"));
    /// ```
    #[must_use]
    pub fn webgpu_baseline() -> Self {
        Self {
            // In WebGPU, `quantizeToF16` and the packing functions need no optional feature.
            shader: Capabilities::SHADER_FLOAT16_IN_FLOAT32,
            blocking: false,
            ..Self::new(BackendKind::WebGpu, "the WebGPU baseline")
        }
    }
}

impl Limits {
    /// The default limits of the WebGPU specification (section "Limits").
    ///
    /// | limit of the specification | default |
    /// |---|---|
    /// | `maxBufferSize` | 256 MiB |
    /// | `maxStorageBufferBindingSize` | 128 MiB |
    /// | `maxUniformBufferBindingSize` | 64 KiB |
    /// | `maxStorageBuffersPerShaderStage` | 8 |
    /// | `maxUniformBuffersPerShaderStage` | 12 |
    /// | `maxBindGroups` | 4 |
    /// | `maxBindingsPerBindGroup` | 1000 |
    /// | `minStorageBufferOffsetAlignment` | 256 bytes |
    /// | `minUniformBufferOffsetAlignment` | 256 bytes |
    /// | `maxComputeWorkgroupStorageSize` | 16 KiB |
    /// | `maxComputeInvocationsPerWorkgroup` | 256 |
    /// | `maxComputeWorkgroupSizeX`, `Y`, `Z` | 256, 256, 64 |
    /// | `maxComputeWorkgroupsPerDimension` | 65 535 |
    #[must_use]
    pub fn webgpu() -> Self {
        Self {
            buffer_size: 256 << 20,
            storage_binding_size: 128 << 20,
            uniform_binding_size: 64 << 10,
            storage_buffers: 8,
            uniform_buffers: 12,
            bind_groups: 4,
            bindings_per_group: 1000,
            storage_offset_alignment: 256,
            uniform_offset_alignment: 256,
            workgroup_storage: 16 << 10,
            workgroup_invocations: 256,
            workgroup_size: [256, 256, 64],
            workgroups_per_dimension: 65_535,
            immediate_size: 0,
        }
    }

    /// Limits that no kernel exceeds, for translating a kernel without a device.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            buffer_size: u64::MAX,
            storage_binding_size: u64::MAX,
            uniform_binding_size: u64::MAX,
            storage_buffers: u32::MAX,
            uniform_buffers: u32::MAX,
            bind_groups: u32::MAX,
            bindings_per_group: u32::MAX,
            storage_offset_alignment: 1,
            uniform_offset_alignment: 1,
            workgroup_storage: u32::MAX,
            workgroup_invocations: u32::MAX,
            workgroup_size: [u32::MAX; 3],
            workgroups_per_dimension: u32::MAX,
            immediate_size: u32::MAX,
        }
    }
}
