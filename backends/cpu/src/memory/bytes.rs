//! Zeroed memory with a guard on both sides.
//!
//! Large memory comes from the system directly, in huge pages where it has them: Linux gives them only on request, and a
//! kernel that reads far apart addresses waits for the translation of small pages.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::abi::GUARD_BYTES;

/// The alignment of every allocation in bytes: a cache line.
pub(crate) const ALIGNMENT: usize = 64;

const _: () = assert!(GUARD_BYTES.is_multiple_of(ALIGNMENT));

/// Owned bytes, aligned to [`ALIGNMENT`]. Before and after them are guards: [`GUARD_BYTES`] of zeros, never written.
pub(crate) struct Bytes {
    /// The first byte after the guard at the beginning.
    start: NonNull<u8>,
    length: usize,
    source: Source,
}

/// The origin of an allocation.
enum Source {
    /// The allocator of the program, for this layout.
    Heap(Layout),
    /// Pages of the system, which are freed with the value.
    #[cfg(target_os = "linux")]
    Pages { _map: memmap2::MmapMut },
}

impl Source {
    /// Allocates zeros; returns their start, too.
    fn zeroed(layout: Layout) -> Option<(NonNull<u8>, Self)> {
        #[cfg(target_os = "linux")]
        if layout.size() >= LARGE {
            let mut map = memmap2::MmapMut::map_anon(layout.size()).ok()?;
            // A system without huge pages refuses; then the pages stay small.
            let _ = map.advise(memmap2::Advice::HugePage);
            return Some((NonNull::new(map.as_mut_ptr())?, Self::Pages { _map: map }));
        }
        // SAFETY: the layout's size is not zero.
        Some((NonNull::new(unsafe { alloc_zeroed(layout) })?, Self::Heap(layout)))
    }
}

/// The size in bytes from which on memory comes from the system: two huge pages.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

impl Bytes {
    /// Allocates at least `length` bytes of zeros, and no fewer than 64; `None` if the system has not enough memory.
    pub(crate) fn zeroed(length: usize) -> Option<Self> {
        let length = length.max(1).checked_next_multiple_of(ALIGNMENT)?;
        let layout = Layout::from_size_align(length.checked_add(2 * GUARD_BYTES)?, ALIGNMENT).ok()?;
        let (whole, source) = Source::zeroed(layout)?;
        // SAFETY: the guard is within the allocation.
        let start = unsafe { whole.add(GUARD_BYTES) };
        Some(Self { start, length, source })
    }

    /// The address of the first byte. Callers are responsible for accesses through it.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The number of bytes, without guards.
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        match self.source {
            // SAFETY: the allocation began this far before `start` and had this layout.
            Source::Heap(layout) => unsafe { dealloc(self.start.sub(GUARD_BYTES).as_ptr(), layout) },
            #[cfg(target_os = "linux")]
            Source::Pages { .. } => {}
        }
    }
}

// SAFETY: the bytes are owned, like those of a `Box<[u8]>`; accesses through `start` are separate unsafe code.
unsafe impl Send for Bytes {}
// SAFETY: a shared reference to `Bytes` allows no access to the bytes without separate unsafe code.
unsafe impl Sync for Bytes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_guards_and_alignment() {
        for length in [0, 1, 63, 64, 65, 4096, 1 << 20, 4 << 20, (6 << 20) + 100] {
            let bytes = Bytes::zeroed(length).unwrap();
            assert!(bytes.len() >= length && bytes.len() >= 64);
            assert_eq!(bytes.start().as_ptr() as usize % ALIGNMENT, 0);
            // SAFETY: the whole allocation, including the guards, is owned and initialised.
            let all = unsafe {
                std::slice::from_raw_parts(bytes.start().as_ptr().sub(GUARD_BYTES), bytes.len() + 2 * GUARD_BYTES)
            };
            assert!(all.iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn impossible_lengths_are_none() {
        for length in [usize::MAX, usize::MAX - 63, isize::MAX as usize] {
            assert!(Bytes::zeroed(length).is_none());
        }
    }
}
