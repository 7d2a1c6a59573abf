//! The rules for dispatches: kernels, their bindings and their grids.

use anywarp_backend::{Access, BackendError, BindingClass, Bound, Dispatch, Grid, MemoryKind, Region};

use super::resident::OF_RESIDENTS;
use super::{Check, Resources};
use crate::signature::Binding;

/// The kinds of memory that kernels may access.
const OF_KERNELS: &[MemoryKind] = &[MemoryKind::Device, MemoryKind::Shared];

impl<R: Resources> Check<'_, R> {
    pub(super) fn dispatch(&self, dispatch: &Dispatch) -> Result<(), BackendError> {
        let signature = self.resources.kernel(dispatch.kernel).ok_or(BackendError::UnknownKernel(dispatch.kernel))?;
        let bounds = self.recording.bounds(&dispatch.bounds);
        if bounds.len() != signature.bindings.len() {
            let (wanted, given) = (signature.bindings.len(), bounds.len());
            return self.wrong(format_args!("the kernel expects {wanted} bindings, got {given}"));
        }
        for (binding, bound) in signature.bindings.iter().zip(bounds) {
            self.bound(binding, bound)?;
        }
        self.pairs(&signature.bindings, bounds)?;
        let (wanted, given) = (signature.immediates, self.recording.bytes(&dispatch.immediates).len());
        if given != wanted as usize {
            return self.wrong(format_args!("the kernel expects {wanted} bytes of immediates, got {given}"));
        }
        match dispatch.grid {
            Grid::Groups(groups) => {
                let most = self.caps.limits.workgroups_per_dimension;
                if groups.iter().any(|count| *count == 0 || *count > most) {
                    return self.wrong(format_args!("the grid {groups:?} has a dimension outside of 1..={most}"));
                }
                Ok(())
            }
            Grid::Indirect { memory, offset } => {
                let counts = Region { memory, offset, bytes: 12 };
                self.whole_words(counts)?;
                self.region(counts, OF_KERNELS)
            }
        }
    }

    fn bound(&self, binding: &Binding, bound: &Bound) -> Result<(), BackendError> {
        let (name, size) = (&binding.name, u64::from(binding.size));
        let limits = &self.caps.limits;
        let (most, alignment) = match binding.class {
            BindingClass::Uniform => (limits.uniform_binding_size, limits.uniform_offset_alignment),
            _ => (limits.storage_binding_size, limits.storage_offset_alignment),
        };
        let bytes = match bound {
            Bound::Inline(_) if binding.class != BindingClass::Uniform => {
                return self.wrong(format_args!("'{name}' is not a uniform: expected a region of memory, got a value"));
            }
            Bound::Inline(range) => {
                let given = self.recording.bytes(range).len();
                if given != range.len() || range.start > range.end {
                    return self.wrong(format_args!(
                        "'{name}' got bytes {range:?} of the recording's values, but the recording has no such bytes"
                    ));
                }
                given as u64
            }
            Bound::Memory { region, access } => {
                let kinds = if self.recording.resident.is_some() { OF_RESIDENTS } else { OF_KERNELS };
                self.region(*region, kinds)?;
                if *access != binding.access {
                    let expected = binding.access;
                    return self
                        .wrong(format_args!("'{name}' at {region}: expected access {expected:?}, got {access:?}"));
                }
                let alignment = alignment.max(binding.alignment);
                if !region.offset.is_multiple_of(u64::from(alignment)) {
                    return self.wrong(format_args!("'{name}' at {region} must begin at a multiple of {alignment}"));
                }
                if binding.class != BindingClass::Uniform && !region.bytes.is_multiple_of(4) {
                    return self
                        .wrong(format_args!("'{name}' at {region} must have a length that is a multiple of 4 bytes"));
                }
                region.bytes
            }
        };
        if bytes < size || bytes > most {
            return self.wrong(format_args!("'{name}' has {bytes} bytes, outside of {size}..={most}"));
        }
        if binding.length(bytes).is_none() {
            return self.wrong(format_args!("'{name}' has {bytes} bytes: the number of its elements exceeds 32 bits"));
        }
        Ok(())
    }

    /// Checks that no two bindings share bytes while one of the two is written. Without
    /// [`Caps::aliased_bindings`](anywarp_backend::Caps::aliased_bindings), a read-write binding must not share a
    /// memory with a binding of another class either.
    fn pairs(&self, bindings: &[Binding], bounds: &[Bound]) -> Result<(), BackendError> {
        let placed = || {
            bindings.iter().zip(bounds).filter_map(|(binding, bound)| match bound {
                Bound::Memory { region, .. } => Some((binding, region)),
                Bound::Inline(_) => None,
            })
        };
        for (index, (first, here)) in placed().enumerate() {
            for (second, there) in placed().skip(index + 1).filter(|(_, there)| there.memory == here.memory) {
                let (one, other) = (&first.name, &second.name);
                let written = first.access == Access::Write || second.access == Access::Write;
                if written && here.overlaps(there) {
                    return self.wrong(format_args!(
                        "'{one}' at {here} and '{other}' at {there} share bytes, and one of them is written"
                    ));
                }
                let mixed = (first.class == BindingClass::Storage) != (second.class == BindingClass::Storage);
                if mixed && !self.caps.aliased_bindings {
                    return self.wrong(format_args!(
                        "'{one}' at {here} and '{other}' at {there} share {:?}, but only one of them is read_write: \
                         this device needs them in separate memories",
                        here.memory
                    ));
                }
            }
        }
        Ok(())
    }
}
