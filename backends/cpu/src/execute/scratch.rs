//! Scratch memory of a thread for kernels, kept between dispatches.

use std::cell::Cell;

use anywarp_backend::{BackendError, MemoryKind};

use crate::memory::bytes::Bytes;

/// The memory that one thread provides to kernels.
#[derive(Default)]
struct Scratch {
    workgroup: Option<Bytes>,
    private: Option<Bytes>,
    nowhere: Option<Bytes>,
}

/// The addresses of the three pieces of scratch memory, valid until [`with`] returns.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) workgroup: *mut u8,
    pub(crate) private: *mut u8,
    pub(crate) nowhere: *mut u8,
}

thread_local! {
    static KEPT: Cell<Option<Scratch>> = const { Cell::new(None) };
}

/// Calls `work` with scratch memory of at least `workgroup` and `private` bytes, with guards around each piece.
pub(crate) fn with<T>(
    workgroup: usize,
    private: usize,
    work: impl FnOnce(Places) -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    // A thread that is ending, or a nested call, gets new memory.
    let mut scratch = KEPT.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let places = Places {
        workgroup: grown(&mut scratch.workgroup, workgroup)?,
        private: grown(&mut scratch.private, private)?,
        nowhere: grown(&mut scratch.nowhere, 128)?,
    };
    let result = work(places);
    let _ = KEPT.try_with(|kept| kept.set(Some(scratch)));
    result
}

fn grown(kept: &mut Option<Bytes>, length: usize) -> Result<*mut u8, BackendError> {
    if let Some(bytes) = kept.as_ref().filter(|bytes| bytes.len() >= length) {
        return Ok(bytes.start().as_ptr());
    }
    *kept = None;
    let missing = || BackendError::OutOfMemory { requested: length as u64, kind: MemoryKind::Device, live: 0 };
    let bytes = Bytes::zeroed(length).ok_or_else(missing)?;
    Ok(kept.insert(bytes).start().as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_and_grows() {
        let start = |length| with(length, 0, |places| Ok(places.workgroup as usize)).unwrap();
        let small = start(100);
        assert_eq!(start(64), small);
        with(1 << 20, 1 << 16, |places| {
            // SAFETY: these are the last bytes of the two pieces.
            unsafe { (places.workgroup.add((1 << 20) - 1).write(1), places.private.add((1 << 16) - 1).write(1)) };
            Ok(())
        })
        .unwrap();
        assert!(matches!(with(usize::MAX / 2, 0, |_| Ok(())), Err(BackendError::OutOfMemory { .. })));
    }
}
