//! The kernels of one device, and the state shared by their launches.

use std::sync::Arc;

use anywarp_backend::naga::valid::Capabilities;

use super::compiled::{KernelCache, KernelInner};
use super::source::Wgsl;
use super::variants::{Variants, Workshop};
use crate::debug::DebugMemory;
use crate::error::KernelError;
use crate::submit::Context;

/// Lists the devices of this machine by selection string, with the WGSL features of each, for errors that name the
/// devices which can run a kernel.
pub(crate) type ListDevices = fn() -> Vec<(String, Capabilities)>;

/// The state shared by the launches of a device.
pub(crate) struct Shared {
    pub(crate) workshop: Workshop,
    pub(crate) debug: DebugMemory,
}

/// The kernels of one device: an extension of its [`Context`].
pub(crate) struct Kernels {
    pub(super) cache: KernelCache,
    shared: Arc<Shared>,
    devices: ListDevices,
}

impl Kernels {
    pub(crate) fn new(context: &Context, variants: Variants, devices: ListDevices) -> Self {
        let debug = DebugMemory::new(Arc::clone(&context.backend));
        let shared = Arc::new(Shared { workshop: Workshop::default(), debug });
        Self { cache: KernelCache::new(variants), shared, devices }
    }

    /// The kernels of a device; opening the `Device` created them.
    pub(crate) fn of(context: &Context) -> Arc<Self> {
        context.extension(|| Self::new(context, Variants::default(), Vec::new))
    }

    /// The memory that kernels print into.
    pub(crate) fn debug(&self) -> &DebugMemory {
        &self.shared.debug
    }

    /// The numbers of compiled variants, of pending ones, and of launches of variants.
    pub(crate) fn variants(&self) -> [u64; 3] {
        self.shared.workshop.counted()
    }

    /// The compiled kernel of `wgsl`, from the cache if the cache contains it.
    pub(super) fn compiled(&self, context: &Context, wgsl: &Wgsl<'_>) -> Result<Arc<KernelInner>, KernelError> {
        let others = || {
            let mut devices = (self.devices)();
            devices.retain(|(selector, _)| *selector != context.selector);
            devices
        };
        self.cache.get(context, &self.shared, wgsl, &others)
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        self.shared.workshop.close();
    }
}
