//! Compiled pipelines on disk, where the driver hands them out: Vulkan.
//!
//! Each pipeline has a cache object of its own, and a file. wgpu can neither merge two caches nor
//! shrink one, so a single file for all of them would lose what two processes add at the same time,
//! and keep what nobody runs any more for ever.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anywarp_backend::Program;
use anywarp_backend::cache::{DiskCache, Fingerprint, Key};

/// Where the pipelines of one device are kept.
pub(crate) struct Pipelines {
    disk: Option<&'static DiskCache>,
    /// What tells this driver and device from others.
    adapter: String,
    /// What the driver gives for a cache without pipelines.
    empty: usize,
    /// The driver has given nothing for a pipeline: it has a cache of its own, or needs none.
    useless: AtomicBool,
}

/// The cache object of one pipeline.
pub(crate) struct Kept<'p> {
    pipelines: &'p Pipelines,
    disk: &'static DiskCache,
    key: Key,
    found: Option<Vec<u8>>,
    pub(crate) object: wgpu::PipelineCache,
}

impl Pipelines {
    pub(crate) fn of(device: &wgpu::Device) -> Self {
        let info = device.adapter_info();
        // Only Vulkan has a key.
        let kind = wgpu::util::pipeline_cache_key(&info);
        let usable = kind.is_some() && device.features().contains(wgpu::Features::PIPELINE_CACHE);
        let disk = anywarp_backend::cache::cache().filter(|_| usable);
        let empty = disk.and_then(|_| object(device, None).get_data()).map_or(0, |data| data.len());
        let adapter = format!(
            "{} {:?} {} {:x}:{:x} {} {} {}",
            env!("CARGO_PKG_VERSION"),
            kind,
            info.name,
            info.vendor,
            info.device,
            info.driver,
            info.driver_info,
            cfg!(target_pointer_width = "64"),
        );
        Self { disk, adapter, empty, useless: AtomicBool::new(false) }
    }

    /// The cache object for the program's pipeline, with what a process before has left of it.
    pub(crate) fn open(&self, device: &wgpu::Device, program: &Program) -> Option<Kept<'_>> {
        let disk = self.disk.filter(|_| !self.useless.load(Ordering::Relaxed))?;
        let key = self.key(program)?;
        let found = disk.get(&key);
        Some(Kept { pipelines: self, disk, key, object: object(device, found.as_deref()), found })
    }

    /// Were two programs ever to have one fingerprint, the driver would still tell them apart: it looks
    /// pipelines up by the code that it is given.
    fn key(&self, program: &Program) -> Option<Key> {
        let mut fingerprint = Fingerprint::default();
        write!(fingerprint, "{:?} {:?}", program.module, program.leave.checks.is_some()).ok()?;
        Some(Key::new("vulkan", [self.adapter.as_str(), &program.entry_point, &fingerprint.to_string()]))
    }
}

impl Kept<'_> {
    /// Keeps the pipeline that was made with the object, if that is news.
    pub(crate) fn keep(self) {
        let Some(data) = self.object.get_data() else { return };
        if data.len() <= self.pipelines.empty {
            self.pipelines.useless.store(true, Ordering::Relaxed);
        } else if self.found.as_ref().is_none_or(|found| found.len() != data.len())
            && let Err(error) = self.disk.put(&self.key, &data)
        {
            log::warn!("{error}");
        }
    }
}

fn object(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let descriptor = wgpu::PipelineCacheDescriptor { label: None, data, fallback: true };
    // SAFETY: the data came from `get_data`, for an adapter and driver of the same names and numbers:
    // the entry it was read from holds them, and a checksum over all of it, so that a damaged file is
    // none. Who could forge one can write to the user's own folders, and needs no driver for that.
    // wgpu compares the driver's identifier, and takes an empty cache where that has changed.
    unsafe { device.create_pipeline_cache(&descriptor) }
}
