//! Which adapters there are, and how one is opened.

use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Caps};

use crate::WgpuBackend;
use crate::caps::{backend_kind, caps_of, wanted_features};
use crate::device::errors::ErrorSink;
use crate::record::bind_groups::MOST_KEPT;

/// How a device is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Copy between host and device memory even where the two are one.
    pub staged: bool,
    /// Whether large staging memory is the host's own, which the device fetches from, rather than what
    /// wgpu gives. Without it whichever is faster when the device is opened. Vulkan only.
    pub pinned: Option<bool>,
}

/// An adapter that could be opened.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The properties that the device would have. [`Caps::unified`] is what the driver promises; opening
    /// the device measures it.
    pub caps: Caps,
    adapter: wgpu::Adapter,
}

/// Descriptors that a DX12 device has room for: twice those of the bind groups that are kept, for those that
/// submissions still hold. wgpu's default of a million takes 32 MB a device, and gigabytes where Direct3D runs on Vulkan.
const DESCRIPTORS: u32 = 2 * MOST_KEPT as u32;

/// All that the adapter has, of what kernels see.
fn limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let mut limits = adapter.limits();
    if adapter.get_info().backend == wgpu::Backend::Dx12 {
        limits.max_non_sampler_bindings = limits.max_non_sampler_bindings.min(DESCRIPTORS);
    }
    limits
}

/// The first instance, for good: without one the loader unloads NVIDIA's driver, which crashes threads
/// that have used it when they end.
static KEPT: OnceLock<wgpu::Instance> = OnceLock::new();

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends =
        wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12 | wgpu::Backends::BROWSER_WEBGPU;
    // The check of indirect grids stays on in every build: an unchecked one is undefined
    // behaviour, and this crate's API is safe.
    descriptor.flags = wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL;
    let instance = wgpu::Instance::new(descriptor);
    KEPT.get_or_init(|| instance.clone());
    instance
}

/// The adapters of this machine, in the order in which the drivers list them.
pub async fn candidates_async() -> Vec<Candidate> {
    let instance = instance();
    let backends = wgpu::Backends::all() - wgpu::Backends::GL - wgpu::Backends::NOOP;
    #[cfg(not(target_arch = "wasm32"))]
    let adapters = instance.enumerate_adapters(backends).await;
    // A browser shows one adapter, on request.
    #[cfg(target_arch = "wasm32")]
    let adapters: Vec<_> = {
        let _ = backends;
        instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.into_iter().collect()
    };
    adapters
        .into_iter()
        .filter_map(|adapter| {
            let kind = backend_kind(adapter.get_info().backend)?;
            Some(Candidate { caps: caps_of(&adapter, kind, wanted_features(&adapter), &adapter.limits()), adapter })
        })
        .collect()
}

/// [`candidates_async`], blocking. Empty in a browser, which cannot block.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    #[cfg(not(target_arch = "wasm32"))]
    return pollster::block_on(candidates_async());
    #[cfg(target_arch = "wasm32")]
    Vec::new()
}

impl Candidate {
    /// Opens the device, asking for the adapter's limits in full.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] with what the driver said.
    pub async fn open_async(&self, options: Options) -> Result<Arc<WgpuBackend>, BackendError> {
        let features = wanted_features(&self.adapter);
        let experimental = if features.intersects(wgpu::Features::all_experimental_mask()) {
            // SAFETY: the only experimental feature that `wanted_features` asks for is cooperative
            // matrices; what could go wrong with them (loads out of bounds) needs pointers that
            // naga validated, and the program's module carries no others.
            unsafe { wgpu::ExperimentalFeatures::enabled() }
        } else {
            wgpu::ExperimentalFeatures::disabled()
        };
        let (device, queue) = self
            .adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("anywarp"),
                required_features: features,
                required_limits: limits(&self.adapter),
                experimental_features: experimental,
                memory_hints: wgpu::MemoryHints::Performance,
                trace: wgpu::Trace::Off,
            })
            .await
            .map_err(|error| BackendError::Rejected { operation: "opening the device", message: error.to_string() })?;
        let sink = ErrorSink::install(&device);
        WgpuBackend::new((self.adapter.clone(), device, queue), sink, self.caps.clone(), options)
    }

    /// [`open_async`](Self::open_async), blocking.
    ///
    /// # Errors
    /// As there; [`BackendError::CannotBlock`] in a browser.
    pub fn open(&self, options: Options) -> Result<Arc<WgpuBackend>, BackendError> {
        #[cfg(not(target_arch = "wasm32"))]
        return pollster::block_on(self.open_async(options));
        #[cfg(target_arch = "wasm32")]
        {
            let _ = options;
            Err(BackendError::CannotBlock)
        }
    }
}
