//! Allocations and the host's access to them.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The id of one allocation of one device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u64);

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory {}", self.0)
    }
}

/// The kind of a memory: whether host or device may access it, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Accessed by the device only: by kernels, copies and fills.
    Device,
    /// Written by the host in place, then read by copies.
    Upload,
    /// Filled by the host with data from elsewhere in host memory, then read by copies: the fastest kind for this use.
    Staging,
    /// Written by copies, then read by the host: cached memory.
    Readback,
    /// One memory for host and device: accessed by the host while it is mapped, by the device while it is not.
    Shared,
    /// Words that the host and a resident kernel access at the same time, one aligned word of 32 bits at a time. Always
    /// mapped, and used by resident dispatches only.
    Exchange,
    /// As [`Exchange`](Self::Exchange), but on the card, so that a kernel reads it without a trip over the bus. The host
    /// only writes there: a read takes it about a microsecond. A sequentially consistent fence sends off what the
    /// processor has gathered. An allocation is refused where there is no such memory.
    Inbox,
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Upload => "upload",
            Self::Staging => "staging",
            Self::Readback => "readback",
            Self::Shared => "shared",
            Self::Exchange => "exchange",
            Self::Inbox => "inbox",
        })
    }
}

/// The bytes of one mapped memory, exclusively owned; for [`MemoryKind::Exchange`] and
/// [`MemoryKind::Inbox`] its words, shared with kernels.
///
/// The backend refuses to unmap the memory while the range exists, so the bytes stay valid; dropping the range ends the
/// borrow.
pub struct HostRange {
    start: NonNull<u8>,
    /// The number of exclusively owned bytes: 0 for a range of words.
    bytes: usize,
    /// The number of words that a kernel may access at the same time; 0 for a range of bytes.
    words: usize,
    lent: Arc<AtomicBool>,
    /// Keeps the allocation alive, also after the memory was freed.
    _owner: Arc<dyn std::any::Any + Send + Sync>,
}

impl HostRange {
    /// Wraps mapped memory. Returns `None` when `lent` is already true, because another range exists.
    ///
    /// # Safety
    /// `start..start + bytes` must be readable and writable (for Readback memory: readable) and must not be accessed by
    /// anything else until the range is dropped, which sets `lent` to false; `owner` must keep the memory alive until
    /// then.
    pub unsafe fn new(
        start: NonNull<u8>,
        bytes: usize,
        lent: Arc<AtomicBool>,
        owner: Arc<dyn std::any::Any + Send + Sync>,
    ) -> Option<Self> {
        if lent.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(Self { start, bytes, words: 0, lent, _owner: owner })
    }

    /// Wraps the words of exchange memory.
    ///
    /// # Safety
    /// `start` must be aligned to 4 bytes, and the `words` words from there on readable and writable until the range is
    /// dropped; `owner` must keep them alive until then. Everything else that accesses them meanwhile does so by whole
    /// words and atomically: other threads through [`words`](Self::words), kernels by aligned loads and stores.
    #[must_use]
    pub unsafe fn of_words(start: NonNull<u8>, words: usize, owner: Arc<dyn std::any::Any + Send + Sync>) -> Self {
        Self { start, bytes: 0, words, lent: Arc::default(), _owner: owner }
    }

    /// The words of exchange memory; empty for memory of other kinds, as [`bytes`](Self::bytes) is for exchange memory.
    #[must_use]
    pub fn words(&self) -> &[AtomicU32] {
        if self.words == 0 {
            return &[];
        }
        // SAFETY: `of_words` demands aligned, valid words that are only accessed atomically while `self` lives.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.words) }
    }

    /// The mapped bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `new` demands memory that is valid and not aliased for as long as `self` lives.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The mapped bytes, for writing. Not for Readback memory, whose mapping may be read-only.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

// SAFETY: the range owns its bytes exclusively (see `new`), like a `Box<[u8]>`; its words are atomics.
unsafe impl Send for HostRange {}
// SAFETY: `&HostRange` gives access to the bytes only as `&[u8]`, and to the words as `&[AtomicU32]`.
unsafe impl Sync for HostRange {}

impl Drop for HostRange {
    fn drop(&mut self) {
        self.lent.store(false, Ordering::Release);
    }
}

impl fmt::Debug for HostRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostRange").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// A [`HostRange`] divided into pieces of one length, each of which may be written on another thread.
pub struct HostPieces {
    range: Arc<HostRange>,
    length: usize,
    taken: Box<[AtomicBool]>,
}

/// One piece of a [`HostRange`], exclusively owned. The range is dropped when all its pieces and the [`HostPieces`] are
/// dropped.
pub struct HostPiece {
    range: Arc<HostRange>,
    start: usize,
    bytes: usize,
}

impl HostRange {
    /// Divides the range into pieces of `length` bytes; the last piece may be shorter. Like
    /// [`bytes_mut`](Self::bytes_mut), not for Readback memory.
    ///
    /// # Panics
    /// If `length` is zero.
    #[must_use]
    pub fn pieces(self, length: usize) -> HostPieces {
        let taken = (0..self.bytes.div_ceil(length)).map(|_| AtomicBool::new(false)).collect();
        HostPieces { range: Arc::new(self), length, taken }
    }
}

impl HostPieces {
    /// Takes the piece with this number, counted from 0; `None` if there is no such piece, or if it was already taken.
    #[must_use]
    pub fn take(&self, number: usize) -> Option<HostPiece> {
        if self.taken.get(number)?.swap(true, Ordering::AcqRel) {
            return None;
        }
        let start = number * self.length;
        let bytes = self.length.min(self.range.bytes - start);
        Some(HostPiece { range: Arc::clone(&self.range), start, bytes })
    }
}

impl HostPiece {
    /// The bytes of the piece, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the piece lies within the range, which owns its bytes and lives as long as the piece. Pieces do not
        // overlap, each is taken once, and only the pieces access the bytes of the range.
        unsafe { std::slice::from_raw_parts_mut(self.range.start.as_ptr().add(self.start), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_range_and_are_given_once() {
        let mut memory = vec![0u8; 1000];
        let lent = Arc::new(AtomicBool::new(false));
        let start = NonNull::new(memory.as_mut_ptr()).expect("a vector's start");
        // SAFETY: `memory` outlives the range and its pieces, and is not touched until they are gone.
        let range = unsafe { HostRange::new(start, 1000, Arc::clone(&lent), Arc::new(())) }.expect("not lent yet");
        let pieces = range.pieces(300);
        let mut taken: Vec<HostPiece> = (0..4).map(|number| pieces.take(number).expect("a piece")).collect();
        assert!(pieces.take(2).is_none() && pieces.take(4).is_none(), "twice, or beyond the end");
        for (number, piece) in (1..).zip(&mut taken) {
            piece.bytes_mut().fill(number);
        }
        drop(pieces);
        assert!(lent.load(Ordering::Acquire), "pieces are still out");
        drop(taken);
        assert!(!lent.load(Ordering::Acquire), "all are back");
        let expected: Vec<u8> = (0..1000).map(|index| (index / 300 + 1) as u8).collect();
        assert_eq!(memory, expected);
    }
}
