//! One allocation and its mapping.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, HostRange, MemoryKind};

/// Sixteen bytes, aligned for every scalar. Atomics, so that copies and fills are safe code.
#[repr(align(16))]
#[derive(Default)]
struct Granule([AtomicU32; 4]);

/// The mapping: while it exists the bytes are the host's.
struct Mapping {
    lent: Arc<AtomicBool>,
    /// What Readback memory held when it was mapped: the host must not change it.
    held: Option<Vec<u32>>,
}

/// One allocation.
pub(crate) struct Memory {
    pub(crate) kind: MemoryKind,
    /// As asked for: not rounded up, so that a region beyond it is seen.
    pub(crate) bytes: u64,
    granules: Vec<Granule>,
    mapping: Mutex<Option<Mapping>>,
}

impl Memory {
    /// Zeroed memory; `None` when the host has no more.
    pub(crate) fn zeroed(bytes: u64, kind: MemoryKind) -> Option<Self> {
        let count = usize::try_from(bytes.div_ceil(16)).ok()?;
        let mut granules = Vec::new();
        granules.try_reserve_exact(count).ok()?;
        granules.resize_with(count, Granule::default);
        Some(Self { kind, bytes, granules, mapping: Mutex::new(None) })
    }

    fn mapping(&self) -> MutexGuard<'_, Option<Mapping>> {
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_mapped(&self) -> bool {
        self.mapping().is_some()
    }

    /// The four bytes at `offset`, a multiple of 4.
    pub(crate) fn word(&self, offset: u64) -> &AtomicU32 {
        let index = offset as usize / 4;
        &self.granules[index / 4].0[index % 4]
    }

    fn words(&self) -> Vec<u32> {
        self.granules.iter().flat_map(|granule| &granule.0).map(|word| word.load(Ordering::Relaxed)).collect()
    }

    pub(crate) fn map(&self) -> Result<(), BackendError> {
        if self.kind == MemoryKind::Device {
            return Err(BackendError::rejected("mapping", "device memory is not visible to the host"));
        }
        self.mapping().get_or_insert_with(|| Mapping {
            lent: Arc::default(),
            held: (self.kind == MemoryKind::Readback).then(|| self.words()),
        });
        Ok(())
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let mapping = self.mapping();
        let Some(mapping) = &*mapping else {
            return Err(BackendError::rejected("host access", "the memory is not mapped"));
        };
        let start = NonNull::from(self.granules.as_slice()).cast::<u8>();
        // SAFETY: the pointer covers all granules, which `self` keeps and never moves, and whose
        // atomics allow writes behind a shared borrow. `check` and `execute` keep the device's
        // commands off memory that is mapped, and `unmap` refuses while `lent` is set.
        unsafe { HostRange::new(start, self.bytes as usize, Arc::clone(&mapping.lent), Arc::clone(self) as _) }
            .ok_or_else(|| BackendError::rejected("host access", "the bytes are in use by the host already"))
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        let mut mapping = self.mapping();
        let Some(Mapping { lent, held }) = &*mapping else { return Ok(()) };
        if lent.load(Ordering::Acquire) {
            return Err(BackendError::rejected("unmapping", "the bytes are in use by the host"));
        }
        if held.as_ref().is_some_and(|held| *held != self.words()) {
            return Err(BackendError::rejected("unmapping", "the host has written to readback memory"));
        }
        *mapping = None;
        Ok(())
    }
}
