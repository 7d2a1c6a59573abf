//! The bytes of a buffer on the host: written, copied from the device, or about to be copied.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, HostRange, MemoryId, Ticket};

use crate::submit::Batch;
use crate::submit::Context;
use crate::submit::staging::{Block, Staging};

/// Ordinary memory, aligned for every scalar.
pub(crate) struct Heap(Vec<u128>);

impl Heap {
    pub(crate) fn zeroed(bytes: u64) -> Self {
        Self(vec![0; usize::try_from(bytes.div_ceil(16)).unwrap_or(usize::MAX)])
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// The data of one write of the host, with its memory.
pub(crate) enum Written {
    /// In staging memory.
    Staged(Block, HostRange),
    /// In ordinary memory.
    Heap(Heap),
}

impl Written {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Staged(_, host) => host.bytes(),
            Self::Heap(heap) => heap.bytes(),
        }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Staged(_, host) => host.bytes_mut(),
            Self::Heap(heap) => heap.bytes_mut(),
        }
    }

    /// Releases its staging memory.
    pub(super) fn give_back(self, staging: &Staging) {
        if let Self::Staged(block, host) = self {
            // Dropped before the block is released: another thread may receive the block at once and unmap it.
            drop(host);
            staging.release(block);
        }
    }
}

/// The host's copy of a part of the device's data, valid where residency says so.
pub(crate) struct HostCopy {
    /// The range in bytes of the buffer that the block can hold.
    pub(super) range: Range<u64>,
    pub(super) block: Option<Block>,
    /// `None` only during the drop.
    pub(super) host: Option<HostRange>,
    pub(super) device: Arc<Context>,
}

impl HostCopy {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.host.as_ref().map_or(&[], HostRange::bytes)
    }
}

impl Drop for HostCopy {
    fn drop(&mut self) {
        // Dropped before the block is released: another thread may receive the block at once and unmap it.
        self.host = None;
        if let Some(block) = self.block.take() {
            self.device.staging.release(block);
        }
    }
}

/// Host bytes that a read guard borrows.
#[derive(Clone)]
pub(crate) enum HostView {
    Copy(Arc<HostCopy>),
    /// All of the buffer.
    Shared(Arc<HostRange>),
    /// The bytes from this byte of the buffer on.
    Heap(Arc<Heap>, u64),
}

impl HostView {
    /// The byte of the buffer at which the view starts.
    pub(crate) fn base(&self) -> u64 {
        match self {
            Self::Copy(copy) => copy.range.start,
            Self::Shared(_) => 0,
            Self::Heap(_, start) => *start,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Copy(copy) => copy.bytes(),
            Self::Shared(host) => host.bytes(),
            Self::Heap(heap, _) => heap.bytes(),
        }
    }
}

/// A block that a running copy writes to. If it is dropped, because the read was cancelled, the pool hands the block
/// out only after the end of the copy: an earlier user would have to wait for it before ending the mapping.
pub(crate) struct Download {
    pub(super) block: Option<Block>,
    /// The range in bytes of the buffer that the block can hold.
    pub(super) range: Range<u64>,
    /// The ranges that the block will hold.
    pub(super) valid: Vec<Range<u64>>,
    /// Set when the copy is submitted.
    pub(super) mapping: Option<Ticket>,
    pub(super) device: Arc<Context>,
}

impl Download {
    pub(super) fn memory(&self) -> MemoryId {
        self.block.as_ref().map_or(MemoryId(0), |block| block.memory)
    }

    /// The bytes, after the end of the copy.
    pub(super) fn arrived(mut self) -> Result<HostCopy, BackendError> {
        let host = Some(self.device.backend.host(self.memory())?);
        let (range, block, device) = (self.range.clone(), self.block.take(), Arc::clone(&self.device));
        Ok(HostCopy { range, block, host, device })
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        match (self.block.take(), self.mapping.take()) {
            (Some(block), Some(mapping)) => self.device.staging.release_after(block, &Batch::submitted(mapping, 0)),
            (Some(block), None) => self.device.staging.release(block),
            (None, _) => {}
        }
    }
}

/// A read in progress.
pub(crate) enum Reading {
    /// The host has the data.
    Ready(HostView),
    /// Unified memory is being mapped.
    Shared(Ticket),
    /// A copy into readback memory, followed by its mapping.
    Download(Download, Ticket),
}

impl Reading {
    pub(crate) fn ticket(&self) -> Ticket {
        match self {
            Self::Ready(_) => Ticket::ready(),
            Self::Shared(ticket) | Self::Download(_, ticket) => ticket.clone(),
        }
    }
}
