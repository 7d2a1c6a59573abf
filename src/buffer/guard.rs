//! Host access to a buffer's elements.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use anywarp_backend::HostRange;

use super::core::{Core, GuardToken};
use super::host::{Heap, HostView, Written};
use crate::element::Element;
use crate::submit::staging::Block;

/// A borrow of a buffer's elements for reading; derefs to `[T]`.
///
/// While the guard exists, the buffer cannot be written or bound to a launch.
pub struct ReadGuard<'a, T> {
    pub(super) view: HostView,
    /// The range of the guard's elements, in bytes of `view`.
    pub(super) range: Range<usize>,
    pub(super) _token: Option<GuardToken>,
    pub(super) _borrow: PhantomData<&'a [T]>,
}

impl<T: Element> Deref for ReadGuard<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.range.is_empty() {
            return &[];
        }
        // Alignment and length were checked when the guard was created.
        bytemuck::cast_slice(&self.view.bytes()[self.range.clone()])
    }
}

/// The memory of a writing guard's elements.
pub(super) enum GuardMemory {
    /// Staging memory that begins with the guard's elements.
    Staged(Block, HostRange),
    /// Ordinary memory that begins with the guard's elements.
    Heap(Heap),
    /// The buffer's own memory, as a whole; unified memory only.
    Shared(HostRange),
    /// No memory, as the guard has no elements.
    Empty,
}

impl GuardMemory {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Staged(_, host) | Self::Shared(host) => host.bytes(),
            Self::Heap(heap) => heap.bytes(),
            Self::Empty => &[],
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Staged(_, host) | Self::Shared(host) => host.bytes_mut(),
            Self::Heap(heap) => heap.bytes_mut(),
            Self::Empty => &mut [],
        }
    }

    /// Transfers the elements to the buffer. `changed` is false for a guard that was only read.
    fn hand_over(&mut self, core: &Arc<Core>, range: &Range<u64>, changed: bool) {
        match (std::mem::replace(self, Self::Empty), changed) {
            (Self::Staged(block, host), true) => core.host_wrote(range.clone(), Written::Staged(block, host)),
            (Self::Staged(block, host), false) => {
                drop(host);
                core.device.staging.release(block);
            }
            (Self::Heap(heap), true) => core.host_wrote(range.clone(), Written::Heap(heap)),
            (Self::Shared(host), _) => core.return_shared(range, host),
            (Self::Heap(_), false) | (Self::Empty, _) => {}
        }
    }
}

/// The state of a guard for writing, which `WriteGuard`, `UpdateGuard` and `OwnedWrite` have in common.
pub(super) struct Writing {
    pub(super) core: Arc<Core>,
    pub(super) memory: GuardMemory,
    /// The range of the guard's elements, in bytes of `memory`.
    pub(super) range: Range<usize>,
    /// The range of the guard's elements, in bytes of the buffer.
    pub(super) target: Range<u64>,
    pub(super) changed: bool,
    pub(super) _token: Option<GuardToken>,
}

impl Writing {
    pub(super) fn elements<T: Element>(&self) -> &[T] {
        if self.range.is_empty() {
            // Empty memory need not be aligned for `T`.
            return &[];
        }
        bytemuck::cast_slice(&self.memory.bytes()[self.range.clone()])
    }

    pub(super) fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        if self.range.is_empty() {
            return &mut [];
        }
        bytemuck::cast_slice_mut(&mut self.memory.bytes_mut()[self.range.clone()])
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.memory.hand_over(&self.core, &self.target, self.changed);
    }
}

/// A borrow of a buffer's elements for overwriting all of them; derefs to `[T]`.
///
/// The initial contents are unspecified: the guard does not contain the old elements, and every element should be
/// assigned. The memory may be slow to read. The elements are uploaded before the next use of the buffer on the device.
pub struct WriteGuard<'a, T> {
    pub(super) writing: Writing,
    pub(super) _borrow: PhantomData<&'a mut [T]>,
}

impl<T: Element> Deref for WriteGuard<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.writing.elements()
    }
}

impl<T: Element> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.writing.elements_mut()
    }
}

/// A borrow of a buffer's elements for reading and changing them; derefs to `[T]`.
///
/// If the guard was only read, nothing is uploaded.
pub struct UpdateGuard<'a, T> {
    pub(super) writing: Writing,
    pub(super) _borrow: PhantomData<&'a mut [T]>,
}

impl<T: Element> Deref for UpdateGuard<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.writing.elements()
    }
}

impl<T: Element> DerefMut for UpdateGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.writing.changed = true;
        self.writing.elements_mut()
    }
}

impl<T: Element + std::fmt::Debug> std::fmt::Debug for ReadGuard<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> std::fmt::Debug for WriteGuard<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteGuard").field("bytes", &self.writing.target).finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for UpdateGuard<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpdateGuard").field("bytes", &self.writing.target).finish_non_exhaustive()
    }
}
