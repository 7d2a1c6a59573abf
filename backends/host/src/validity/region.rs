//! The rules for ranges of memory: within the memory, of the right kind, not mapped.

use anywarp_backend::{BackendError, MemoryId, MemoryKind, Region};

use super::{Check, MemoryState, Resources};

/// The memories that were looked up last: most commands use the memories of the previous command, and reading the state
/// of a memory's mapping takes a lock of the backend.
#[derive(Default)]
pub(super) struct Recent {
    memories: [Option<(MemoryId, MemoryState)>; 8],
    next: usize,
}

impl Recent {
    fn get(
        &mut self,
        id: MemoryId,
        look_up: impl FnOnce(MemoryId) -> Option<MemoryState>,
    ) -> Result<MemoryState, BackendError> {
        if let Some((_, state)) = self.memories.iter().flatten().find(|(known, _)| *known == id) {
            return Ok(*state);
        }
        let state = look_up(id).ok_or(BackendError::UnknownMemory(id))?;
        self.memories[self.next] = Some((id, state));
        self.next = (self.next + 1) % self.memories.len();
        Ok(state)
    }
}

impl<R: Resources> Check<'_, R> {
    /// Checks that a region is within unmapped memory of one of these kinds.
    pub(super) fn region(&self, region: Region, kinds: &[MemoryKind]) -> Result<(), BackendError> {
        let memory = self.recent.borrow_mut().get(region.memory, |id| self.resources.memory(id))?;
        if memory.mapped {
            return self.wrong(format_args!("{region} is mapped: unmap it before submitting work that uses it"));
        }
        if region.bytes == 0 {
            return self.wrong(format_args!("{region} is empty, but at least one byte is expected"));
        }
        if region.end().is_none_or(|end| end > memory.bytes) {
            return self.wrong(format_args!("{region} is outside of its memory of {} bytes", memory.bytes));
        }
        if !kinds.contains(&memory.kind) {
            let expected: Vec<String> = kinds.iter().map(ToString::to_string).collect();
            let expected = expected.join(" or ");
            return self.wrong(format_args!("{region} is {} memory, but {expected} memory is expected", memory.kind));
        }
        Ok(())
    }

    /// Checks that a region begins and ends at multiples of four bytes.
    pub(super) fn whole_words(&self, region: Region) -> Result<(), BackendError> {
        if region.offset.is_multiple_of(4) && region.bytes.is_multiple_of(4) {
            return Ok(());
        }
        self.wrong(format_args!("{region} does not consist of whole words: offset and length must be multiples of 4"))
    }
}
