//! The limit of the bus: copies between pinned memory and the card through NVIDIA's driver alone.

use cudarc::driver::{result, sys};

use crate::shared::{Outcome, timed};

/// Pinned memory, the same amount of device memory, and a stream.
pub(crate) struct Limit {
    context: sys::CUcontext,
    stream: sys::CUstream,
    pinned: *mut u8,
    memory: sys::CUdeviceptr,
    bytes: usize,
}

impl Limit {
    /// Opens the card with this name; returns `None` if NVIDIA's driver does not list it.
    pub(crate) fn of(name: &str, bytes: usize) -> Option<Self> {
        // SAFETY: only checks whether the library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return None;
        }
        result::init().ok()?;
        let count = result::device::get_count().ok()?;
        let card = (0..count)
            .filter_map(|number| result::device::get(number).ok())
            .find(|card| result::device::get_name(*card).is_ok_and(|found| found == name))?;
        // SAFETY: the card comes from the driver; its context is kept until the process ends.
        let context = unsafe { result::primary_ctx::retain(card) }.ok()?;
        // SAFETY: the context was just retained.
        unsafe { result::ctx::set_current(context) }.ok()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).ok()?;
        // SAFETY: both are written before they are read, and freed with `self`.
        let (pinned, memory) = unsafe { (result::malloc_host(bytes, 0).ok()?, result::malloc_sync(bytes).ok()?) };
        // SAFETY: the driver just allocated these bytes.
        unsafe { pinned.cast::<u8>().write_bytes(1, bytes) };
        Some(Self { context, stream, pinned: pinned.cast(), memory, bytes })
    }

    /// The seconds of a copy from the host to the card, and of one back.
    pub(crate) fn both_ways(&mut self) -> Outcome<(f64, f64)> {
        // SAFETY: the context lives as long as the process.
        unsafe { result::ctx::set_current(self.context) }?;
        let up = timed(|| {
            // SAFETY: both memories have this length, and the stream is synchronised before another access.
            unsafe {
                let source = std::slice::from_raw_parts(self.pinned, self.bytes);
                result::memcpy_htod_async(self.memory, source, self.stream)?;
                Ok(result::stream::synchronize(self.stream)?)
            }
        })?;
        let down = timed(|| {
            // SAFETY: as above.
            unsafe {
                let target = std::slice::from_raw_parts_mut(self.pinned, self.bytes);
                result::memcpy_dtoh_async(target, self.memory, self.stream)?;
                Ok(result::stream::synchronize(self.stream)?)
            }
        })?;
        Ok((up, down))
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        // SAFETY: the driver allocated both memories, and no copy is pending.
        let freed = unsafe {
            result::ctx::set_current(self.context)
                .and_then(|()| result::free_host(self.pinned.cast()))
                .and_then(|()| result::free_sync(self.memory))
        };
        if let Err(error) = freed {
            eprintln!("the memory of the limit could not be freed: {error}");
        }
    }
}
