//! Where a buffer's bytes lie on the host: what it wrote, what it copied, what it is about to copy.

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

/// What the host wrote at once, and where it lies.
pub(crate) enum Written {
    /// In staging memory already.
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

    /// Gives its staging memory back.
    pub(super) fn give_back(self, staging: &Staging) {
        if let Self::Staged(block, host) = self {
            // Before the block: another thread may get it at once, and unmaps it.
            drop(host);
            staging.release(block);
        }
    }
}

/// The host's copy of a part of what the device has, valid where residency says so.
pub(crate) struct HostCopy {
    /// Which bytes of the buffer the block has room for.
    pub(super) range: Range<u64>,
    pub(super) block: Option<Block>,
    /// `None` only while it is dropped.
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
        // Before the block: another thread may get it at once, and unmaps it.
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
    /// From this byte of the buffer on.
    Heap(Arc<Heap>, u64),
}

impl HostView {
    /// Where in the buffer the bytes start.
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

/// A block that a copy is on its way to. When it is dropped, as a cancelled read does, nobody gets the
/// block before the copy has arrived: whoever did would have to wait for that to end the mapping.
pub(crate) struct Download {
    pub(super) block: Option<Block>,
    /// Which bytes of the buffer the block has room for.
    pub(super) range: Range<u64>,
    /// What the block will hold.
    pub(super) valid: Vec<Range<u64>>,
    /// Once the copy was handed over.
    pub(super) mapping: Option<Ticket>,
    pub(super) device: Arc<Context>,
}

impl Download {
    pub(super) fn memory(&self) -> MemoryId {
        self.block.as_ref().map_or(MemoryId(0), |block| block.memory)
    }

    /// The bytes, when the copy has ended.
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
    /// The host has it.
    Ready(HostView),
    /// Unified memory that is being mapped.
    Shared(Ticket),
    /// A copy into readback memory, then its mapping.
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
