//! Lists the adapters and opens them.

use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Caps};

use crate::WgpuBackend;
use crate::caps::{backend_kind, caps_of, wanted_features};
use crate::device::errors::ErrorSink;
use crate::record::bind_groups::MAX_KEPT;

/// Options for opening a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to copy data between host and device memory even if both are one memory.
    pub staged: bool,
    /// Whether large staging memory is the host's own memory, from which the device reads, rather than memory that wgpu
    /// allocates. `None` chooses the faster of the two when the device is opened. Vulkan only.
    pub pinned: Option<bool>,
}

/// An adapter that could be opened.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The properties that the device would have. [`Caps::unified`] is the driver's claim, which is verified by a
    /// measurement when the device is opened.
    pub caps: Caps,
    adapter: wgpu::Adapter,
}

/// Capacity of a DX12 device's descriptor heap: twice the number of cached bind groups, because submissions in flight
/// may still hold bind groups that are no longer cached. wgpu's default of a million takes 32 MB per device, and
/// gigabytes where Direct3D runs on Vulkan.
const DESCRIPTORS: u32 = 2 * MAX_KEPT as u32;

/// The limits for opening the adapter: its full limits, except for a smaller descriptor heap with DX12.
fn limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let mut limits = adapter.limits();
    if adapter.get_info().backend == wgpu::Backend::Dx12 {
        limits.max_non_sampler_bindings = limits.max_non_sampler_bindings.min(DESCRIPTORS);
    }
    limits
}

/// The first instance of wgpu, which is never dropped: without any instance the Vulkan loader unloads NVIDIA's driver,
/// and threads that have used the driver then crash when they end.
static KEPT: OnceLock<wgpu::Instance> = OnceLock::new();

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends =
        wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12 | wgpu::Backends::BROWSER_WEBGPU;
    // The check of indirect grids stays on in every build: an unchecked grid is undefined behaviour, and this crate's
    // API is safe.
    descriptor.flags = wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL;
    let instance = wgpu::Instance::new(descriptor);
    KEPT.get_or_init(|| instance.clone());
    instance
}

/// Lists the adapters of this machine, in the drivers' order.
pub async fn candidates_async() -> Vec<Candidate> {
    let instance = instance();
    let backends = wgpu::Backends::all() - wgpu::Backends::GL - wgpu::Backends::NOOP;
    #[cfg(not(target_arch = "wasm32"))]
    let adapters = instance.enumerate_adapters(backends).await;
    // A browser exposes one adapter, on request.
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

/// Lists the adapters like [`candidates_async`], but blocks. The list is empty in a browser, which cannot block.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    #[cfg(not(target_arch = "wasm32"))]
    return pollster::block_on(candidates_async());
    #[cfg(target_arch = "wasm32")]
    Vec::new()
}

impl Candidate {
    /// Opens the device with the adapter's full limits.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] with the driver's message.
    pub async fn open_async(&self, options: Options) -> Result<Arc<WgpuBackend>, BackendError> {
        let features = wanted_features(&self.adapter);
        let experimental = if features.intersects(wgpu::Features::all_experimental_mask()) {
            // SAFETY: the only experimental feature that `wanted_features` requests is cooperative matrices; their
            // hazard (loads out of bounds) needs pointers that naga did not validate, and the program's module has
            // none.
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

    /// Opens the device like [`open_async`](Self::open_async), but blocks.
    ///
    /// # Errors
    /// The errors of [`open_async`](Self::open_async); [`BackendError::CannotBlock`] in a browser.
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
