//! The memories and kernels that recordings refer to, and the execution of copies and fills in the host's memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anywarp_backend::{Command, KernelId, MemoryId, Recording, Region};
use anywarp_host::Signature;
use anywarp_host::validity::{self, MemoryState};

use crate::memory::Memory;

pub(crate) type Memories = HashMap<MemoryId, Arc<Memory>>;
pub(crate) type Kernels = HashMap<KernelId, Signature>;

/// The memories and kernels that a recording may refer to.
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

/// Executes all commands of a checked recording except dispatches.
pub(crate) fn execute(memories: &Memories, recording: &Recording) {
    for command in recording.commands() {
        match command {
            Command::Copy { source, target } => {
                if let (Some(from), Some(to)) = (memories.get(&source.memory), memories.get(&target.memory)) {
                    copy(from, *source, to, *target);
                }
            }
            Command::Fill { target, pattern } => {
                if let Some(memory) = memories.get(&target.memory) {
                    words(*target).for_each(|at| memory.word(at).store(*pattern, Ordering::Relaxed));
                }
            }
            Command::Dispatch(_) | Command::Library(_) => {}
        }
    }
}

fn copy(from: &Memory, source: Region, to: &Memory, target: Region) {
    for (source, target) in words(source).zip(words(target)) {
        to.word(target).store(from.word(source).load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

fn words(region: Region) -> impl Iterator<Item = u64> {
    // The check has shown that the region's end fits 64 bits.
    (region.offset..region.end().unwrap_or(region.offset)).step_by(4)
}
