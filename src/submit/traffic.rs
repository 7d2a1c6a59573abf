//! Counts of transfers between host and device.

use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers of transfers between host and device, and of their bytes, in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferStats {
    /// Copies from host to device.
    pub uploads: u64,
    /// Copies from device to host.
    pub downloads: u64,
    /// Bytes copied from host to device, including gaps between ranges that were copied as one.
    pub bytes_uploaded: u64,
    /// Bytes copied from device to host, including gaps between ranges that were copied as one.
    pub bytes_downloaded: u64,
}

/// Atomic counters for the [`BufferStats`] of one buffer, and for those of a whole device.
#[derive(Default)]
pub(crate) struct Traffic {
    uploads: AtomicU64,
    downloads: AtomicU64,
    bytes_uploaded: AtomicU64,
    bytes_downloaded: AtomicU64,
}

impl Traffic {
    pub(crate) fn uploaded(&self, bytes: u64) {
        self.uploads.fetch_add(1, Ordering::Relaxed);
        self.bytes_uploaded.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn downloaded(&self, bytes: u64) {
        self.downloads.fetch_add(1, Ordering::Relaxed);
        self.bytes_downloaded.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> BufferStats {
        BufferStats {
            uploads: self.uploads.load(Ordering::Relaxed),
            downloads: self.downloads.load(Ordering::Relaxed),
            bytes_uploaded: self.bytes_uploaded.load(Ordering::Relaxed),
            bytes_downloaded: self.bytes_downloaded.load(Ordering::Relaxed),
        }
    }
}
