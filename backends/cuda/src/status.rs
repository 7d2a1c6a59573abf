//! Status records: where kernels write that a loop did not end.
//!
//! A record is four words of pinned host memory that the device sees: all zero, or the name of the
//! first launch that was stopped and the line of its loop.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::BackendError;

use crate::driver::context::Context;

/// Records that are allocated together.
const TOGETHER: usize = 256;
/// Words of a record.
const WORDS: usize = 4;
/// Flags of `cuMemHostAlloc`: for every context, and with an address on the device.
const PORTABLE_MAPPED: u32 = 1 | 2;

/// All records of a device.
pub(crate) struct Slab {
    context: Arc<Context>,
    free: Mutex<Vec<Place>>,
}

#[derive(Clone, Copy)]
struct Place {
    host: *mut u32,
    device: u64,
}

// SAFETY: an address is only a number; what is done behind it is unsafe code of its own.
unsafe impl Send for Place {}

/// A record. It is zero when it is taken, and goes back when it is dropped: after the work that may
/// write it has ended.
pub(crate) struct Record {
    slab: Arc<Slab>,
    place: Place,
}

// SAFETY: the host touches the record only through volatile accesses.
unsafe impl Sync for Record {}

/// What a kernel wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The launch that was stopped first.
    pub(crate) launch: u32,
    /// The line of the loop in the WGSL; 0 if it is not known.
    pub(crate) line: u32,
}

impl Slab {
    pub(crate) fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { context, free: Mutex::default() })
    }

    /// A record; the context is current.
    pub(crate) fn take(self: &Arc<Self>) -> Result<Record, BackendError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            self.grow(&mut free)?;
        }
        let nothing = || BackendError::Rejected { operation: "submitting", message: "no status record".to_owned() };
        let place = free.pop().ok_or_else(nothing)?;
        Ok(Record { slab: Arc::clone(self), place })
    }

    /// Allocates more records; they go with the context.
    fn grow(&self, free: &mut Vec<Place>) -> Result<(), BackendError> {
        let driver = self.context.driver;
        let bytes = TOGETHER * WORDS * size_of::<u32>();
        let mut host = std::ptr::null_mut::<c_void>();
        // SAFETY: writes one pointer of this frame.
        let result = unsafe { (driver.cuMemHostAlloc)(&raw mut host, bytes, PORTABLE_MAPPED) };
        self.context.check("submitting", "cuMemHostAlloc", result)?;
        let mut device = 0;
        // SAFETY: the memory was just allocated with an address on the device.
        let result = unsafe { (driver.cuMemHostGetDevicePointer_v2)(&raw mut device, host, 0) };
        self.context.check("submitting", "cuMemHostGetDevicePointer", result)?;
        // SAFETY: the memory is `bytes` long and nobody knows it yet.
        unsafe { host.cast::<u8>().write_bytes(0, bytes) };
        free.extend((0..TOGETHER).map(|index| Place {
            host: host.cast::<u32>().wrapping_add(index * WORDS),
            device: device + (index * WORDS * size_of::<u32>()) as u64,
        }));
        Ok(())
    }
}

impl Record {
    /// Where kernels find it.
    pub(crate) fn address(&self) -> u64 {
        self.place.device
    }

    /// What was written, once the work has ended.
    pub(crate) fn read(&self) -> Option<Stop> {
        // SAFETY: the record lies in memory that lives as long as the context, which the slab holds.
        let (launch, line) = unsafe { (self.place.host.read_volatile(), self.place.host.add(1).read_volatile()) };
        (launch != 0).then_some(Stop { launch, line })
    }

    /// Makes it zero again, while no work that may write it is under way.
    pub(crate) fn reset(&self) {
        for word in 0..WORDS {
            // SAFETY: as in `read`.
            unsafe { self.place.host.add(word).write_volatile(0) };
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.reset();
        self.slab.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.place);
    }
}
