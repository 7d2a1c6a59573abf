//! Whether a recording keeps to the contract, and to the rules of WebGPU below it.

use std::collections::HashMap;
use std::sync::Arc;

use anywarp_backend::{
    Access, BackendError, BindingClass, BindingInfo, Bound, Caps, Command, Dispatch, Grid, KernelId, Library, MemoryId,
    MemoryKind, Program, Recording, Region,
};

use crate::memory::Memory;

pub(crate) type Memories = HashMap<MemoryId, Arc<Memory>>;
pub(crate) type Kernels = HashMap<KernelId, Program>;

pub(crate) fn refused(operation: &'static str, message: String) -> BackendError {
    BackendError::Rejected { operation, message }
}

fn wrong<T>(message: String) -> Result<T, BackendError> {
    Err(refused("submitting", message))
}

/// What commands refer to.
pub(crate) struct Resources<'a> {
    pub(crate) caps: &'a Caps,
    pub(crate) memories: &'a Memories,
    pub(crate) kernels: &'a Kernels,
}

impl Resources<'_> {
    pub(crate) fn check(&self, recording: &Recording) -> Result<(), BackendError> {
        for command in recording.commands() {
            match command {
                Command::Copy { source, target } => self.copy(*source, *target)?,
                Command::Fill { target, .. } => {
                    words("a fill", *target)?;
                    self.region(*target, &[MemoryKind::Device, MemoryKind::Shared])?;
                }
                Command::Dispatch(dispatch) => self.dispatch(recording, dispatch)?,
                Command::Library(call) => self.library(call)?,
            }
        }
        Ok(())
    }

    /// A region must lie within unmapped memory of one of these kinds.
    fn region(&self, region: Region, kinds: &[MemoryKind]) -> Result<(), BackendError> {
        let memory = self.memories.get(&region.memory).ok_or(BackendError::UnknownMemory(region.memory))?;
        if memory.is_mapped() {
            return wrong(format!("{region} is mapped"));
        }
        if region.bytes == 0 {
            return wrong(format!("{region} is empty"));
        }
        let end = region.offset.checked_add(region.bytes);
        if end.is_none_or(|end| end > memory.bytes) {
            return wrong(format!("{region} is outside of its memory of {} bytes", memory.bytes));
        }
        if !kinds.contains(&memory.kind) {
            return wrong(format!("{region} is {} memory, which this command may not touch", memory.kind));
        }
        Ok(())
    }

    fn copy(&self, source: Region, target: Region) -> Result<(), BackendError> {
        if source.bytes != target.bytes {
            return wrong(format!("a copy of {} bytes into {}", source.bytes, target.bytes));
        }
        if source.overlaps(&target) {
            return wrong(format!("a copy from {source} to {target}, which overlap"));
        }
        words("a copy", source)?;
        words("a copy", target)?;
        self.region(source, &[MemoryKind::Device, MemoryKind::Upload, MemoryKind::Staging, MemoryKind::Shared])?;
        self.region(target, &[MemoryKind::Device, MemoryKind::Readback, MemoryKind::Shared])
    }

    fn library(&self, call: &Library) -> Result<(), BackendError> {
        if !self.caps.library.contains(&call.routine()) {
            return Err(BackendError::no_routine(call));
        }
        let mut outcome = Ok(());
        call.visit_regions(|region, _| {
            if outcome.is_ok() {
                outcome = self.region(region, &[MemoryKind::Device, MemoryKind::Shared]);
            }
        });
        outcome
    }

    fn dispatch(&self, recording: &Recording, dispatch: &Dispatch) -> Result<(), BackendError> {
        let program = self.kernels.get(&dispatch.kernel).ok_or(BackendError::UnknownKernel(dispatch.kernel))?;
        let (label, bounds) = (&dispatch.label, recording.bounds(&dispatch.bounds));
        if bounds.len() != program.bindings.len() {
            let (wanted, given) = (program.bindings.len(), bounds.len());
            return wrong(format!("{label} wants {wanted} bindings, the dispatch has {given}"));
        }
        for (info, bound) in program.bindings.iter().zip(bounds) {
            self.bound(label, info, bound)?;
        }
        self.pairs(label, &program.bindings, bounds)?;
        let immediates = program.immediate.as_ref().map_or(0, |(_, layout)| layout.size.next_multiple_of(4));
        if dispatch.immediates.len() != immediates as usize {
            let given = dispatch.immediates.len();
            return wrong(format!("{label} wants {immediates} bytes of immediates, the dispatch has {given}"));
        }
        match dispatch.grid {
            Grid::Groups(groups) => {
                let most = self.caps.limits.workgroups_per_dimension;
                if groups.iter().any(|count| *count == 0 || *count > most) {
                    return wrong(format!("{label}: the grid {groups:?} has a dimension outside of 1..={most}"));
                }
                Ok(())
            }
            Grid::Indirect { memory, offset } => {
                let counts = Region { memory, offset, bytes: 12 };
                words("an indirect grid", counts)?;
                self.region(counts, &[MemoryKind::Device, MemoryKind::Shared])
            }
        }
    }

    fn bound(&self, label: &str, info: &BindingInfo, bound: &Bound) -> Result<(), BackendError> {
        let (name, size) = (&info.name, u64::from(info.layout.size));
        let limits = &self.caps.limits;
        let (bytes, most) = match (bound, info.class) {
            (Bound::Inline(range), BindingClass::Uniform) => (range.len() as u64, limits.uniform_binding_size),
            (Bound::Inline(_), _) => return wrong(format!("{label}: '{name}' is no uniform, but got a value")),
            (Bound::Memory { region, access }, class) => {
                self.region(*region, &[MemoryKind::Device, MemoryKind::Shared])?;
                if *access != info.access {
                    return wrong(format!("{label}: '{name}' has access {:?}, not {access:?}", info.access));
                }
                let (most, alignment) = match class {
                    BindingClass::Uniform => (limits.uniform_binding_size, limits.uniform_offset_alignment),
                    _ => (limits.storage_binding_size, limits.storage_offset_alignment),
                };
                if !region.offset.is_multiple_of(u64::from(alignment)) {
                    return wrong(format!("{label}: '{name}' at {region} is not aligned to {alignment}"));
                }
                if class != BindingClass::Uniform && !region.bytes.is_multiple_of(4) {
                    return wrong(format!("{label}: '{name}' at {region} is not a multiple of 4 bytes"));
                }
                (region.bytes, most)
            }
        };
        if bytes < size || bytes > most {
            return wrong(format!("{label}: '{name}' has {bytes} bytes, outside of {size}..={most}"));
        }
        Ok(())
    }

    /// No two bindings may share memory while one of them is written.
    fn pairs(&self, label: &str, infos: &[BindingInfo], bounds: &[Bound]) -> Result<(), BackendError> {
        let placed = || {
            infos.iter().zip(bounds).filter_map(|(info, bound)| match bound {
                Bound::Memory { region, .. } => Some((info, region)),
                Bound::Inline(_) => None,
            })
        };
        for (index, (first, here)) in placed().enumerate() {
            for (second, there) in placed().skip(index + 1).filter(|(_, there)| there.memory == here.memory) {
                let written = first.access == Access::Write || second.access == Access::Write;
                let mixed = (first.class == BindingClass::Storage) != (second.class == BindingClass::Storage);
                if (written && here.overlaps(there)) || (mixed && !self.caps.aliased_bindings) {
                    return wrong(format!("{label}: '{}' and '{}' share {:?}", first.name, second.name, here.memory));
                }
            }
        }
        Ok(())
    }
}

fn words(what: &str, region: Region) -> Result<(), BackendError> {
    if region.offset.is_multiple_of(4) && region.bytes.is_multiple_of(4) {
        return Ok(());
    }
    wrong(format!("{what} at {region}, which is not made of whole words"))
}
