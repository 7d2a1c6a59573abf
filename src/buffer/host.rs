//! Data of a buffer in the host's memory: data that the host wrote, and copies from the device, complete or in
//! progress.

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
    /// Data in staging memory, which is mapped.
    Staged(Block, HostRange),
    /// Data in ordinary memory.
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

    /// Releases the data's staging memory, if it has any.
    pub(super) fn give_back(self, staging: &Staging) {
        if let Self::Staged(block, host) = self {
            // The mapping is dropped before the block is released: another thread may receive the block immediately and
            // unmap it.
            drop(host);
            staging.release(block);
        }
    }
}

/// The host's copy of a part of the device's data. The buffer's residency determines which ranges of the copy are
/// current.
pub(crate) struct HostCopy {
    /// The range of the buffer, in bytes, for which the block has space.
    pub(super) range: Range<u64>,
    pub(super) block: Option<Block>,
    /// The mapping of the block; `None` only while the copy is dropped.
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
        // The mapping is dropped before the block is released: another thread may receive the block immediately and
        // unmap it.
        self.host = None;
        if let Some(block) = self.block.take() {
            self.device.staging.release(block);
        }
    }
}

/// Bytes in the host's memory that a read guard refers to.
#[derive(Clone)]
pub(crate) enum HostView {
    Copy(Arc<HostCopy>),
    /// The mapping of the whole buffer; unified memory only.
    Shared(Arc<HostRange>),
    /// Ordinary memory, and the byte of the buffer at which its contents begin.
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

/// A readback block that a running copy writes to. If the read is cancelled and this value is dropped, the pool reuses
/// the block only after the end of the copy: otherwise the next user of the block would have to wait for the copy
/// before unmapping the block.
pub(crate) struct Download {
    pub(super) block: Option<Block>,
    /// The range of the buffer, in bytes, for which the block has space.
    pub(super) range: Range<u64>,
    /// The ranges of the buffer that are current in the block after the copy.
    pub(super) valid: Vec<Range<u64>>,
    /// The ticket of the block's mapping, which is requested when the copy is submitted.
    pub(super) mapping: Option<Ticket>,
    pub(super) device: Arc<Context>,
}

impl Download {
    pub(super) fn memory(&self) -> MemoryId {
        self.block.as_ref().map_or(MemoryId(0), |block| block.memory)
    }

    /// Returns the copied bytes; the copy must have ended.
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

/// A read by the host in progress.
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
