//! In the place of `vulkan` on systems where the way through Vulkan's handles is not known: nothing can be exported.

use std::ptr::NonNull;
use std::sync::Arc;

/// No exporter exists.
pub(in crate::driver) enum Exporter {}

/// No memory is exported.
pub(in crate::driver) enum Exported {}

/// No handle exists.
pub(in crate::driver) enum Handle {}

impl Exporter {
    /// Finds no exporter.
    ///
    /// # Errors
    /// Always, with the reason.
    pub(in crate::driver) fn open(_accepts: impl Fn([u8; 16]) -> bool) -> Result<Arc<Self>, String> {
        Err("this is known for Linux only".to_owned())
    }

    /// As for Linux.
    pub(in crate::driver) fn allocate(&self, _bytes: u64) -> Result<(Exported, Handle), String> {
        match *self {}
    }
}

impl Exported {
    /// As for Linux.
    pub(in crate::driver) fn start(&self) -> NonNull<u8> {
        match *self {}
    }

    /// As for Linux.
    pub(in crate::driver) fn bytes(&self) -> u64 {
        match *self {}
    }
}

impl Handle {
    /// As for Linux.
    pub(in crate::driver) fn number(&self) -> i32 {
        match *self {}
    }

    /// As for Linux.
    pub(in crate::driver) fn give(self) {
        match self {}
    }
}
