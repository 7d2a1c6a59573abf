//! What every device of WebGPU has.

use naga::valid::Capabilities;

use crate::{BackendKind, Caps, DeviceKind, Limits};

impl Caps {
    /// A device with the default limits of the WebGPU specification (section "Limits") and none of its
    /// optional features: a kernel that is made for it is made for every browser. It is no device of
    /// this machine and cannot be opened.
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
            name: "the WebGPU baseline".to_owned(),
            backend: BackendKind::WebGpu,
            kind: DeviceKind::Other,
            driver: String::new(),
            memory: None,
            unified: false,
            // `quantizeToF16` and the packing functions need no feature there.
            shader: Capabilities::SHADER_FLOAT16_IN_FLOAT32,
            subgroup_size: None,
            timestamps: false,
            aliased_bindings: false,
            checked: false,
            streams: 1,
            copy_cost: None,
            blocking: false,
            library: Vec::new(),
            limits: Limits {
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
            },
        }
    }
}
