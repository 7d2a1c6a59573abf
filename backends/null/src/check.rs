//! What recordings are checked against.

use std::collections::HashMap;
use std::sync::Arc;

use anywarp_backend::{KernelId, MemoryId};
use anywarp_host::Signature;
use anywarp_host::validity::{self, MemoryState};

use crate::memory::Memory;

pub(crate) type Memories = HashMap<MemoryId, Arc<Memory>>;
pub(crate) type Kernels = HashMap<KernelId, Signature>;

/// What commands refer to.
pub(crate) struct Resources<'a> {
    pub(crate) memories: &'a Memories,
    pub(crate) kernels: &'a Kernels,
}

impl validity::Resources for Resources<'_> {
    fn memory(&self, id: MemoryId) -> Option<MemoryState> {
        let memory = self.memories.get(&id)?;
        Some(MemoryState { bytes: memory.bytes, kind: memory.kind, mapped: memory.is_mapped() })
    }

    fn kernel(&self, id: KernelId) -> Option<&Signature> {
        self.kernels.get(&id)
    }
}
