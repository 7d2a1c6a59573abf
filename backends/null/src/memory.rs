//! One allocation and its mapping.

use std::convert::Infallible;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BackendError, HostRange, MemoryKind};
use anywarp_host::mapping::{Mapping, is_visible};

/// Sixteen bytes of memory, aligned for every scalar. Its words are atomic, so that copies and fills need no unsafe
/// code.
#[repr(align(16))]
#[derive(Default)]
struct Granule([AtomicU32; 4]);

/// The state of the host's access to a memory.
#[derive(Default)]
struct State {
    /// The mapping, which waits for no work: all work has ended when `submit` returns.
    mapping: Mapping<Infallible>,
    /// A copy of the bytes of Readback memory, made when it was mapped, to detect that the host has changed them.
    held: Option<Vec<u32>>,
}

/// One allocation: its bytes, and the state of its mapping.
pub(crate) struct Memory {
    pub(crate) kind: MemoryKind,
    /// The requested size, not rounded up, so that a region beyond it is noticed.
    pub(crate) bytes: u64,
    granules: Vec<Granule>,
    state: Mutex<State>,
}

impl Memory {
    /// Allocates zeroed memory; `None` when the host has no more memory.
    pub(crate) fn zeroed(bytes: u64, kind: MemoryKind) -> Option<Self> {
        let count = usize::try_from(bytes.div_ceil(16)).ok()?;
        let mut granules = Vec::new();
        granules.try_reserve_exact(count).ok()?;
        granules.resize_with(count, Granule::default);
        Some(Self { kind, bytes, granules, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_mapped(&self) -> bool {
        self.state().mapping.is_mapped()
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
        is_visible(self.kind)?;
        let mut state = self.state();
        if !state.mapping.is_mapped() {
            state.held = (self.kind == MemoryKind::Readback).then(|| self.words());
            state.mapping.open(None);
        }
        Ok(())
    }

    pub(crate) fn host(self: &Arc<Self>) -> Result<HostRange, BackendError> {
        let bytes = (NonNull::from(self.granules.as_slice()).cast::<u8>(), self.bytes as usize);
        // SAFETY: the pointer covers all granules, which `self` keeps and never moves, and whose atomics allow writes
        // through a shared borrow. The check of recordings keeps the device's commands off mapped memory.
        unsafe { self.state().mapping.host(|never| match *never {}, bytes, Arc::clone(self) as _) }
    }

    pub(crate) fn unmap(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        state.mapping.close()?;
        if state.held.as_ref().is_some_and(|held| *held != self.words()) {
            state.mapping.open(None);
            return Err(BackendError::rejected(
                "unmapping",
                "the host has written to readback memory, which is read-only",
            ));
        }
        state.held = None;
        Ok(())
    }
}
