//! Compiled pipelines on disk, for drivers that provide the data of pipelines: those of Vulkan.
//!
//! Each pipeline has a cache object and a file of its own. wgpu can neither merge two caches nor shrink one, so a
//! single file would lose entries that two processes add at the same time, and would keep unused entries for ever. The
//! data of lavapipe is a header only.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anywarp_host::cache::{DiskCache, Fingerprint, Key};

use crate::kernel::ready::Ready;

/// The stored pipelines of one device.
pub(crate) struct Pipelines {
    disk: Option<&'static DiskCache>,
    /// Text that identifies this driver and device.
    adapter: String,
    /// The size of the driver's data for a cache without pipelines, in bytes.
    empty: usize,
    /// Whether the driver has provided no data for a pipeline, because it has a cache of its own or needs none: then no
    /// further pipeline is stored.
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
    /// Returns the pipelines of this device in the process's cache.
    pub(crate) fn of(device: &wgpu::Device) -> Self {
        Self::inside(anywarp_host::cache::cache(), device)
    }

    fn inside(disk: Option<&'static DiskCache>, device: &wgpu::Device) -> Self {
        let info = device.adapter_info();
        // Only Vulkan has a cache key.
        let kind = wgpu::util::pipeline_cache_key(&info);
        let usable = kind.is_some() && device.features().contains(wgpu::Features::PIPELINE_CACHE);
        let disk = disk.filter(|_| usable);
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

    /// Returns the cache object for a program's pipeline, with the data that an earlier process stored.
    pub(crate) fn open(&self, device: &wgpu::Device, entry_point: &str, ready: &Ready) -> Option<Kept<'_>> {
        let disk = self.disk.filter(|_| !self.useless.load(Ordering::Relaxed))?;
        let key = self.key(entry_point, ready)?;
        let found = disk.get(&key);
        Some(Kept { pipelines: self, disk, key, object: object(device, found.as_deref()), found })
    }

    /// The key of a program's pipeline. A collision of fingerprints is harmless: the driver looks pipelines up by the
    /// code itself.
    fn key(&self, entry_point: &str, ready: &Ready) -> Option<Key> {
        let mut fingerprint = Fingerprint::default();
        write!(fingerprint, "{:?} {:?}", ready.module, ready.checks).ok()?;
        Some(Key::new("vulkan", [self.adapter.as_str(), entry_point, &fingerprint.to_string()]))
    }
}

impl Kept<'_> {
    /// Stores the data of the pipeline that was compiled with this cache object, if the data is new.
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
    // SAFETY: the data came from `get_data`, for an adapter and driver of the same names and numbers: the cache entry
    // contains these in its key, and a checksum over the whole entry, so that a damaged file is ignored. An attacker
    // who can forge an entry can write to the user's own folders, and needs no driver for an attack. wgpu compares the
    // driver's identifier, and uses an empty cache if the identifier has changed.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anywarp_backend::naga::{front, valid};
    use anywarp_backend::{Checks, FunctionProofs, Leave, Program, Proofs, Unchecked, Validated};

    use super::*;
    use crate::kernel::Kernel;
    use crate::kernel::ready::{Language, ready};
    use crate::{Options, candidates};

    fn program(body: &str) -> Program {
        let module = front::wgsl::parse_str(&format!("@compute @workgroup_size(64) fn main() {{ {body} }}")).unwrap();
        Program {
            name: "a.wgsl:main".into(),
            module: Validated::new(module, valid::Capabilities::all()).unwrap(),
            entry_point: "main".to_owned(),
            workgroup_size: [64, 1, 1],
            bindings: Vec::new(),
            immediate: None,
            workgroup_storage: 0,
            source: None,
            leave: Leave::default(),
            proofs: None,
        }
    }

    fn without_device() -> Pipelines {
        Pipelines { disk: None, adapter: "adapter".to_owned(), empty: 0, useless: AtomicBool::new(false) }
    }

    #[test]
    fn a_key_is_of_the_program_and_the_adapter() {
        let (ours, other) = (without_device(), Pipelines { adapter: "other".to_owned(), ..without_device() });
        let loops = "for (var i = 0; i < 9; i++) { }";
        let key =
            |pipelines: &Pipelines, program: &Program| pipelines.key("main", &ready(program, Language::Spirv).unwrap());
        assert_eq!(key(&ours, &program(loops)), key(&ours, &program(loops)));
        // SAFETY: no kernel is run.
        let checks = Checks::Off(unsafe { Unchecked::promise() });
        let unchecked = Program { leave: Leave { checks, ..Leave::default() }, ..program(loops) };
        let proven = |ends: &[bool]| {
            let entry = FunctionProofs { ends: ends.to_vec(), ..FunctionProofs::default() };
            let proofs = Some(Arc::new(Proofs { functions: Vec::new(), entry }));
            Program { proofs, ..program(loops) }
        };
        let all = [
            program(loops),
            unchecked,
            proven(&[true]),
            proven(&[false]),
            program(""),
            program("for (var i = 0; i < 8; i++) { }"),
        ];
        for (number, one) in all.iter().enumerate() {
            for another in &all[number + 1..] {
                assert_ne!(key(&ours, one), key(&ours, another), "{:?} and {:?}", one.proofs, another.proofs);
            }
        }
        assert_ne!(key(&ours, &all[0]), key(&other, &all[0]));
    }

    /// Drivers that provide no pipeline data still provide a header, which is stored in the same way.
    #[test]
    fn stored_pipeline_data_returns_to_the_driver() {
        let vulkan =
            candidates().into_iter().find(|candidate| candidate.caps.backend == anywarp_backend::BackendKind::Vulkan);
        let Some(candidate) = vulkan else { return println!("skipped: no Vulkan device") };
        let backend = candidate.open(Options::default()).unwrap();
        let (device, _) = backend.wgpu_device();
        let folder = std::env::temp_dir().join(format!("anywarp-pipelines-{}", std::process::id()));
        let disk: &'static DiskCache = Box::leak(Box::new(DiskCache::open(&folder, 1 << 24)));
        let ask = || Pipelines { empty: 0, ..Pipelines::inside(Some(disk), device) };
        if ask().disk.is_none() {
            return println!("skipped: the driver has no pipeline caches");
        }
        let program = program("var a = 1; if (a == 2) { return; }");
        fn open<'p>(device: &wgpu::Device, pipelines: &'p Pipelines, program: &Program) -> Option<Kept<'p>> {
            pipelines.open(device, "main", &ready(program, Language::Spirv).unwrap())
        }
        let found = |pipelines: &Pipelines| open(device, pipelines, &program).unwrap().found;
        assert_eq!(found(&ask()), None);
        Kernel::new(device, &ask(), &program).unwrap();
        let kept = found(&ask()).expect("a stored entry");
        // The second compilation uses the stored data. The data has the same length afterwards, so it is not written
        // again.
        Kernel::new(device, &ask(), &program).unwrap();
        assert_eq!(found(&ask()), Some(kept));
        assert_eq!(disk.clear(Some("vulkan")).files, 1);

        // A driver whose data never grows is not queried again.
        let pipelines = Pipelines { empty: usize::MAX, ..ask() };
        Kernel::new(device, &pipelines, &program).unwrap();
        assert!(open(device, &pipelines, &program).is_none());
        assert_eq!(disk.clear(None).files, 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_a_cache_there_are_no_objects() {
        let Some(candidate) = candidates().into_iter().next() else { return println!("skipped: no device") };
        let backend = candidate.open(Options::default()).unwrap();
        let pipelines = Pipelines::inside(None, backend.wgpu_device().0);
        assert!(
            pipelines.open(backend.wgpu_device().0, "main", &ready(&program(""), Language::Spirv).unwrap()).is_none()
        );
    }
}
