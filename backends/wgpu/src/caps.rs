//! Converts wgpu's features and limits to [`Caps`].

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, CooperativeProduct, DeviceKind, Limits, Scalar, ScalarKind};
use wgpu::{DownlevelFlags, Features};

/// wgpu's features, with the WGSL capabilities that they unlock.
const SHADER_FEATURES: &[(Features, Capabilities)] = &[
    (Features::IMMEDIATES, Capabilities::IMMEDIATES),
    (Features::SHADER_F64, Capabilities::FLOAT64),
    (Features::SHADER_F16, Capabilities::SHADER_FLOAT16),
    (Features::SHADER_I16, Capabilities::SHADER_INT16),
    (Features::SHADER_INT64, Capabilities::SHADER_INT64),
    (Features::SHADER_INT64_ATOMIC_MIN_MAX, Capabilities::SHADER_INT64_ATOMIC_MIN_MAX),
    (
        Features::SHADER_INT64_ATOMIC_ALL_OPS,
        Capabilities::SHADER_INT64_ATOMIC_ALL_OPS.union(Capabilities::SHADER_INT64_ATOMIC_MIN_MAX),
    ),
    (Features::SHADER_FLOAT32_ATOMIC, Capabilities::SHADER_FLOAT32_ATOMIC),
    (Features::SUBGROUP, Capabilities::SUBGROUP),
    (Features::SUBGROUP_BARRIER, Capabilities::SUBGROUP_BARRIER),
    (Features::EXPERIMENTAL_COOPERATIVE_MATRIX, Capabilities::COOPERATIVE_MATRIX),
    (Features::MEMORY_DECORATION_COHERENT, Capabilities::MEMORY_DECORATION_COHERENT),
    (Features::MEMORY_DECORATION_VOLATILE, Capabilities::MEMORY_DECORATION_VOLATILE),
];

/// The features of wgpu that anywarp itself uses: timestamps, mappable buffers and pipeline caches.
const RUNTIME_FEATURES: Features = Features::TIMESTAMP_QUERY
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(Features::TIMESTAMP_QUERY_INSIDE_PASSES)
    .union(Features::MAPPABLE_PRIMARY_BUFFERS)
    .union(Features::PIPELINE_CACHE);

/// Every feature of the adapter that anywarp or a compute kernel can use.
pub(crate) fn wanted_features(adapter: &wgpu::Adapter) -> Features {
    let all = SHADER_FEATURES.iter().fold(RUNTIME_FEATURES, |all, (feature, _)| all | *feature);
    adapter.features() & all
}

/// The [`BackendKind`] for a backend of wgpu; `None` for a backend that anywarp does not use.
pub(crate) fn backend_kind(backend: wgpu::Backend) -> Option<BackendKind> {
    match backend {
        wgpu::Backend::Vulkan => Some(BackendKind::Vulkan),
        wgpu::Backend::Metal => Some(BackendKind::Metal),
        wgpu::Backend::Dx12 => Some(BackendKind::Dx12),
        wgpu::Backend::BrowserWebGpu => Some(BackendKind::WebGpu),
        wgpu::Backend::Gl | wgpu::Backend::Noop => None,
    }
}

/// The properties of a device of the adapter with these features and limits.
pub(crate) fn caps_of(
    adapter: &wgpu::Adapter,
    backend: BackendKind,
    features: Features,
    limits: &wgpu::Limits,
) -> Caps {
    let info = adapter.get_info();
    let mut shader = Capabilities::empty();
    for (feature, capability) in SHADER_FEATURES {
        shader.set(*capability, shader.contains(*capability) || features.contains(*feature));
    }
    if adapter.get_downlevel_capabilities().flags.contains(DownlevelFlags::SHADER_F16_IN_F32) {
        shader |= Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    }
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
        wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
        wgpu::DeviceType::Cpu => DeviceKind::Software,
        wgpu::DeviceType::Other => DeviceKind::Other,
    };
    let one_memory = matches!(kind, DeviceKind::Integrated | DeviceKind::Software);
    // Browsers do not report the adapter's name.
    let name = if info.name.is_empty() { "an adapter without a name" } else { &info.name };
    let mut caps = Caps::new(backend, name);
    caps.driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ").trim().to_owned();
    caps.kind = kind;
    caps.memory = device_memory(adapter);
    caps.unified = one_memory && features.contains(Features::MAPPABLE_PRIMARY_BUFFERS);
    caps.shader = shader;
    caps.subgroup_size =
        features.contains(Features::SUBGROUP).then_some((info.subgroup_min_size, info.subgroup_max_size));
    caps.timestamps = features.contains(Features::TIMESTAMP_QUERY);
    if features.contains(Features::EXPERIMENTAL_COOPERATIVE_MATRIX) {
        let properties = adapter.cooperative_matrix_properties();
        caps.cooperative = properties.iter().filter_map(cooperative_product).collect();
    }
    caps.blocking = cfg!(not(target_arch = "wasm32"));
    caps.limits = limits_of(limits);
    caps
}

/// Converts a product of cooperative matrices; `None` for a product that WGSL cannot express.
fn cooperative_product(properties: &wgpu::CooperativeMatrixProperties) -> Option<CooperativeProduct> {
    let scalar = |ty| match ty {
        wgpu::CooperativeScalarType::F16 => Some(Scalar { kind: ScalarKind::Float, width: 2 }),
        wgpu::CooperativeScalarType::F32 => Some(Scalar { kind: ScalarKind::Float, width: 4 }),
        _ => None,
    };
    let sizes = [properties.m_size, properties.n_size, properties.k_size];
    let size = [8, 16].into_iter().find(|size| sizes == [*size; 3])?;
    Some(CooperativeProduct { size, factors: scalar(properties.ab_type)?, sums: scalar(properties.cr_type)? })
}

fn limits_of(limits: &wgpu::Limits) -> Limits {
    let mut ours = Limits::webgpu();
    ours.buffer_size = limits.max_buffer_size;
    ours.storage_binding_size = limits.max_storage_buffer_binding_size;
    ours.uniform_binding_size = limits.max_uniform_buffer_binding_size;
    ours.storage_buffers = limits.max_storage_buffers_per_shader_stage;
    ours.uniform_buffers = limits.max_uniform_buffers_per_shader_stage;
    ours.bind_groups = limits.max_bind_groups;
    ours.bindings_per_group = limits.max_bindings_per_bind_group;
    ours.storage_offset_alignment = limits.min_storage_buffer_offset_alignment;
    ours.uniform_offset_alignment = limits.min_uniform_buffer_offset_alignment;
    ours.workgroup_storage = limits.max_compute_workgroup_storage_size;
    ours.workgroup_invocations = limits.max_compute_invocations_per_workgroup;
    ours.workgroup_size =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    ours.workgroups_per_dimension = limits.max_compute_workgroups_per_dimension;
    ours.immediate_size = limits.max_immediate_size;
    ours
}

/// The total size of the device-local heaps in bytes; only Vulkan reports it.
#[cfg(all(not(target_arch = "wasm32"), not(target_vendor = "apple")))]
fn device_memory(adapter: &wgpu::Adapter) -> Option<u64> {
    // SAFETY: the adapter handle is only read while `hal` is alive, and nothing is destroyed.
    let hal = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let physical = hal.raw_physical_device();
    // SAFETY: the physical device belongs to this very instance.
    let memory = unsafe { hal.shared_instance().raw_instance().get_physical_device_memory_properties(physical) };
    let heaps = memory.memory_heaps.iter().take(memory.memory_heap_count as usize);
    // VK_MEMORY_HEAP_DEVICE_LOCAL_BIT
    Some(heaps.filter(|heap| heap.flags.as_raw() & 1 != 0).map(|heap| heap.size).sum())
}

#[cfg(any(target_arch = "wasm32", target_vendor = "apple"))]
fn device_memory(_: &wgpu::Adapter) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares [`Limits::webgpu`] with wgpu's own limits for portable code.
    #[test]
    fn the_baseline_is_wgpus() {
        let mut expected = limits_of(&wgpu::Limits::default());
        expected.immediate_size = 0;
        assert_eq!(Limits::webgpu(), expected);
    }
}
