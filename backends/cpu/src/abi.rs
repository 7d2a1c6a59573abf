//! The interface between compiled kernels and the code that runs them.

/// The number of invocations that run in one vector: the size of a subgroup.
pub(crate) const LANES: usize = 8;

/// The size in bytes of the zeroed guards before and after every buffer. A vector read that extends beyond an end of a
/// buffer reads its guard, never other memory.
pub(crate) const GUARD_BYTES: usize = 256;

/// A buffer bound to a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The first byte of the bound region.
    pub(crate) start: *mut u8,
    /// The number of elements of the binding's runtime-sized array, at least 1; 0 if the binding has no such array.
    pub(crate) length: u32,
}

/// The data that one thread passes to a kernel. Each thread has its own.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Frame {
    /// One slot per binding, in the order of `Program::bindings`.
    pub(crate) slots: *const Slot,
    /// The bytes of `var<immediate>`, with [`GUARD_BYTES`] around them.
    pub(crate) immediates: *const u8,
    /// Workgroup memory: [`Code::workgroup_bytes`](crate::codegen::Code) bytes, 64-byte aligned,
    /// with [`GUARD_BYTES`] around them. The kernel zeroes it.
    pub(crate) workgroup: *mut u8,
    /// Private memory and saved values: [`Code::frame_bytes`](crate::codegen::Code) bytes, 64-byte
    /// aligned, with [`GUARD_BYTES`] around them.
    pub(crate) private: *mut u8,
    /// The WGSL builtin `num_workgroups`: the extents of the grid.
    pub(crate) groups: [u32; 3],
    /// The site at which the kernel stopped, see [`Stop`].
    pub(crate) site: u32,
    /// The limit on loop iterations and calls of one lane group in a workgroup; if the kernel has barriers, of all lane
    /// groups of the workgroup together.
    pub(crate) steps: u64,
    /// The [`Receiver`](crate::reports::Receiver) of reports; null in workgroups that are not checked or observed.
    pub(crate) receiver: *mut core::ffi::c_void,
    /// Memory of 128 bytes for writes that must have no effect.
    pub(crate) nowhere: *mut u8,
}

/// Gives a function, or a type of functions, the calling convention of kernels and of the functions that they call:
/// System V's on x86-64, on Windows too. The words before `fn` are in brackets.
#[cfg(target_arch = "x86_64")]
macro_rules! convention {
    ($(#[$attribute:meta])* [$($before:tt)*] fn $($rest:tt)*) => {
        $(#[$attribute])*
        $($before)* extern "sysv64" fn $($rest)*
    };
}

/// Gives a function, or a type of functions, the calling convention of kernels and of the functions that they call: that
/// of the system. The words before `fn` are in brackets.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! convention {
    ($(#[$attribute:meta])* [$($before:tt)*] fn $($rest:tt)*) => {
        $(#[$attribute])*
        $($before)* extern "C" fn $($rest)*
    };
}

pub(crate) use convention;

convention! {
    /// A compiled kernel: runs the workgroups `[x_begin..x_end, y, z]` and returns a [`Stop`].
    [pub(crate) type Entry = unsafe] fn(frame: *mut Frame, x_begin: u32, x_end: u32, y: u32, z: u32) -> u32;
}

/// The reason why a kernel returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Stop {
    /// All workgroups are done.
    Done = 0,
    /// Not all invocations of a workgroup arrived at one barrier, whose number is in `Frame::site`.
    DivergentBarrier = 1,
    /// Loops exceeded [`Frame::steps`].
    StepLimit = 2,
}
