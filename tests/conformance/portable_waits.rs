//! Waits in the form that the platform allows: natively the calling thread blocks; in a browser, where blocking is not
//! possible, the task awaits.
//!
//! A case with `buffer.read_here().await` tests `read` natively and `read_async` in a browser.

use std::future::Future;
use std::time::Duration;

use anywarp::{
    BufferError, Candidate, Device, DeviceOptions, Element, Error, OpenError, ReadGuard, Slice, SliceMut, Stream,
    Submission, UnifiedBuffer, UpdateGuard, WriteGuard,
};

/// Whether a thread can block.
pub(crate) const BLOCKING: bool = cfg!(not(target_arch = "wasm32"));

/// The reason why cases with threads do not run in a browser.
pub(crate) const NO_THREADS: &str = "WebAssembly has no threads in a browser's page";

/// Opens the device that `selector` names.
pub(crate) async fn select_here(selector: &str) -> Result<Device, OpenError> {
    if BLOCKING {
        return Device::open(selector);
    }
    Device::open_async(&DeviceOptions::default().selector(selector)).await
}

/// A device that can be opened again, as an independent device.
pub(crate) trait ReopenHere: Sized {
    /// The portable form of `reopen`.
    fn reopen_here(&self) -> impl Future<Output = Result<Self, OpenError>>;
}

impl ReopenHere for Device {
    async fn reopen_here(&self) -> Result<Self, OpenError> {
        if BLOCKING { self.reopen() } else { self.reopen_async().await }
    }
}

/// The available devices.
pub(crate) async fn enumerate_here() -> Vec<Candidate> {
    if BLOCKING { Device::enumerate() } else { Device::enumerate_async().await }
}

/// Work that can be waited for.
pub(crate) trait WaitHere {
    /// The portable form of `wait`.
    fn wait_here(&self) -> impl Future<Output = Result<(), Error>>;
    /// The portable form of `wait_timeout`; a browser has no timeouts, so the wait there ends with the work.
    fn wait_timeout_here(&self, timeout: Duration) -> impl Future<Output = Result<bool, Error>>;
}

impl WaitHere for Submission {
    async fn wait_here(&self) -> Result<(), Error> {
        if BLOCKING { self.wait() } else { self.clone().await }
    }

    async fn wait_timeout_here(&self, timeout: Duration) -> Result<bool, Error> {
        if BLOCKING { self.wait_timeout(timeout) } else { self.clone().await.map(|()| true) }
    }
}

/// A device or stream whose work can be waited for.
pub(crate) trait SynchronizeHere {
    /// The portable form of `synchronize`.
    fn synchronize_here(&self) -> impl Future<Output = Result<(), Error>>;
}

impl SynchronizeHere for Device {
    async fn synchronize_here(&self) -> Result<(), Error> {
        if BLOCKING { self.synchronize() } else { self.synchronize_async().await }
    }
}

impl SynchronizeHere for Stream {
    async fn synchronize_here(&self) -> Result<(), Error> {
        if BLOCKING { self.synchronize() } else { self.synchronize_async().await }
    }
}

/// A buffer or slice that can be read.
pub(crate) trait ReadHere<'a, T: Element> {
    /// The portable form of `read`.
    fn read_here(self) -> impl Future<Output = Result<ReadGuard<'a, T>, BufferError>>;
    /// The portable form of `copy_to_slice`.
    fn copy_to_slice_here(self, target: &mut [T]) -> impl Future<Output = Result<(), BufferError>>;
}

impl<'a, T: Element> ReadHere<'a, T> for Slice<'a, T> {
    async fn read_here(self) -> Result<ReadGuard<'a, T>, BufferError> {
        if BLOCKING { self.read() } else { self.read_async().await }
    }

    async fn copy_to_slice_here(self, target: &mut [T]) -> Result<(), BufferError> {
        if BLOCKING { self.copy_to_slice(target) } else { self.copy_to_slice_async(target).await }
    }
}

impl<'a, T: Element> ReadHere<'a, T> for &'a UnifiedBuffer<T> {
    async fn read_here(self) -> Result<ReadGuard<'a, T>, BufferError> {
        if BLOCKING { self.read() } else { self.read_async().await }
    }

    async fn copy_to_slice_here(self, target: &mut [T]) -> Result<(), BufferError> {
        if BLOCKING { self.copy_to_slice(target) } else { self.copy_to_slice_async(target).await }
    }
}

/// A buffer or slice that can be written.
pub(crate) trait WriteHere<'a, T: Element> {
    /// The portable form of `write`.
    fn write_here(self) -> impl Future<Output = Result<WriteGuard<'a, T>, BufferError>>;
    /// The portable form of `update`.
    fn update_here(self) -> impl Future<Output = Result<UpdateGuard<'a, T>, BufferError>>;
    /// The portable form of `copy_from_slice`.
    fn copy_from_slice_here(self, source: &[T]) -> impl Future<Output = Result<(), BufferError>>;
}

impl<'a, T: Element> WriteHere<'a, T> for SliceMut<'a, T> {
    async fn write_here(self) -> Result<WriteGuard<'a, T>, BufferError> {
        if BLOCKING { self.write() } else { self.write_async().await }
    }

    async fn update_here(self) -> Result<UpdateGuard<'a, T>, BufferError> {
        if BLOCKING { self.update() } else { self.update_async().await }
    }

    async fn copy_from_slice_here(self, source: &[T]) -> Result<(), BufferError> {
        if BLOCKING { self.copy_from_slice(source) } else { self.copy_from_slice_async(source).await }
    }
}

impl<'a, T: Element> WriteHere<'a, T> for &'a mut UnifiedBuffer<T> {
    async fn write_here(self) -> Result<WriteGuard<'a, T>, BufferError> {
        if BLOCKING { self.write() } else { self.write_async().await }
    }

    async fn update_here(self) -> Result<UpdateGuard<'a, T>, BufferError> {
        if BLOCKING { self.update() } else { self.update_async().await }
    }

    async fn copy_from_slice_here(self, source: &[T]) -> Result<(), BufferError> {
        if BLOCKING { self.copy_from_slice(source) } else { self.copy_from_slice_async(source).await }
    }
}
