//! The host's access to one memory: mapped, perhaps still waiting for work, and lent to one caller at a time.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anywarp_backend::{BackendError, HostRange, MemoryKind};

/// Checks that the host may map memory of this kind.
///
/// # Errors
/// [`BackendError::Rejected`] for [`MemoryKind::Device`].
pub fn is_visible(kind: MemoryKind) -> Result<(), BackendError> {
    if kind == MemoryKind::Device {
        return Err(BackendError::rejected(
            "mapping",
            "device memory is not visible to the host: copy it to readback memory first",
        ));
    }
    Ok(())
}

/// The mapping of one memory whose bytes the host can always address: mapping changes only whether the host may use the
/// bytes.
///
/// `W` is the work that a mapping waits for. A backend keeps the mapping behind the lock of the memory, and refuses
/// work that uses the memory while it [is mapped](Self::is_mapped).
#[derive(Debug)]
pub struct Mapping<W>(Option<Mapped<W>>);

#[derive(Debug)]
struct Mapped<W> {
    waits_for: Option<W>,
    lent: Lent,
}

/// Whether a [`HostRange`] of a mapping exists.
#[derive(Clone, Debug, Default)]
pub struct Lent(Arc<AtomicBool>);

impl<W> Default for Mapping<W> {
    fn default() -> Self {
        Self(None)
    }
}

impl<W> Mapping<W> {
    /// Whether the memory is mapped, or the mapping is pending.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.0.is_some()
    }

    /// The work that the mapping waits for, if the memory is mapped and there was work to wait for.
    #[must_use]
    pub fn waits_for(&self) -> Option<&W> {
        self.0.as_ref()?.waits_for.as_ref()
    }

    /// Maps the memory, once `waits_for` has ended. Mapped memory stays as it is.
    pub fn open(&mut self, waits_for: Option<W>) {
        self.0.get_or_insert_with(|| Mapped { waits_for, lent: Lent::default() });
    }

    /// Returns `bytes` bytes from `start` on, for the host.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] if the memory is not mapped, the work that the mapping waits for has not ended, or
    /// another range exists.
    ///
    /// # Safety
    /// While the memory is mapped and the work that the mapping waits for has ended, the bytes must be valid and used
    /// by the host alone, as [`HostRange::new`] requires; `owner` must keep the bytes alive.
    pub unsafe fn host(
        &self,
        has_ended: impl FnOnce(&W) -> bool,
        (start, bytes): (NonNull<u8>, usize),
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<HostRange, BackendError> {
        let Some(mapped) = &self.0 else { return Err(not_mapped()) };
        if mapped.waits_for.as_ref().is_some_and(|work| !has_ended(work)) {
            return Err(pending());
        }
        // SAFETY: the memory is mapped and no work is pending; the caller guarantees the rest.
        unsafe { mapped.lent.range((start, bytes), owner) }
    }

    /// Ends the mapping. Unmapped memory stays as it is.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] while a range exists; the memory stays mapped.
    pub fn close(&mut self) -> Result<(), BackendError> {
        if let Some(mapped) = &self.0 {
            mapped.lent.is_back()?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Lent {
    /// Returns the bytes as a range, which counts as lent until it is dropped.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] if a range is lent already.
    ///
    /// # Safety
    /// The conditions of [`HostRange::new`] hold.
    pub unsafe fn range(
        &self,
        (start, bytes): (NonNull<u8>, usize),
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<HostRange, BackendError> {
        // SAFETY: the caller guarantees the conditions of `HostRange::new`.
        unsafe { HostRange::new(start, bytes, Arc::clone(&self.0), owner) }.ok_or_else(|| {
            BackendError::rejected("host access", "the bytes are already in use by the host; drop the first range")
        })
    }

    /// Checks that no range of the mapping is lent.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] while a range is lent.
    pub fn is_back(&self) -> Result<(), BackendError> {
        if self.0.load(Ordering::Acquire) {
            return Err(BackendError::rejected("unmapping", "the bytes are in use by the host; drop the range first"));
        }
        Ok(())
    }
}

/// Returns the error for host access to memory that is not mapped.
#[must_use]
pub fn not_mapped() -> BackendError {
    BackendError::rejected("host access", "the memory is not mapped; map it first, and wait for the ticket")
}

/// Returns the error for host access to memory whose mapping still waits for work.
#[must_use]
pub fn pending() -> BackendError {
    BackendError::rejected("host access", "the mapping is still pending; wait for its ticket")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(mapping: &Mapping<bool>, memory: &Arc<Vec<u8>>) -> Result<HostRange, BackendError> {
        let start = NonNull::from(memory.as_slice()).cast::<u8>();
        // SAFETY: the range keeps the vector alive and only reads it.
        unsafe { mapping.host(|ended| *ended, (start, memory.len()), Arc::clone(memory) as _) }
    }

    fn said<T>(result: Result<T, BackendError>) -> String {
        result.map(|_| ()).expect_err("a refusal is expected").to_string()
    }

    #[test]
    fn memory_is_lent_once_and_only_while_it_is_mapped() {
        let (mut mapping, memory) = (Mapping::default(), Arc::new(vec![7; 16]));
        assert!(said(host(&mapping, &memory)).contains("is not mapped"));
        mapping.close().unwrap();
        mapping.open(Some(true));
        mapping.open(Some(false));
        assert_eq!((mapping.is_mapped(), mapping.waits_for()), (true, Some(&true)), "mapped a second time");
        let range = host(&mapping, &memory).unwrap();
        assert!(said(host(&mapping, &memory)).contains("already in use by the host"));
        assert!(said(mapping.close()).contains("in use by the host") && mapping.is_mapped());
        assert_eq!(range.bytes(), [7; 16]);
        drop(range);
        mapping.close().unwrap();
        assert!(!mapping.is_mapped());
    }

    #[test]
    fn a_pending_mapping_lends_nothing_and_can_be_closed() {
        let (mut mapping, memory) = (Mapping::default(), Arc::new(vec![7; 16]));
        mapping.open(Some(false));
        assert!(said(host(&mapping, &memory)).contains("still pending"));
        mapping.close().unwrap();
        mapping.open(None);
        assert!(host(&mapping, &memory).is_ok());
    }

    #[test]
    fn device_memory_is_not_mapped() {
        assert!(said(is_visible(MemoryKind::Device)).contains("not visible to the host"));
        assert_eq!(is_visible(MemoryKind::Readback), Ok(()));
    }
}
