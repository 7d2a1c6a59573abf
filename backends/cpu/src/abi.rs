//! The agreement between compiled kernels and the code that runs them.

/// Invocations that run in one vector: the size of a subgroup.
pub(crate) const LANES: usize = 8;

/// Bytes of memory before and after every buffer that belong to it and hold zeros: vector reads
/// that straddle an end touch them, never anything else's memory.
pub(crate) const GUARD_BYTES: usize = 256;

/// A buffer bound to a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The first byte of the bound region.
    pub(crate) start: *mut u8,
    /// Elements of the binding's runtime-sized array, at least 1; 0 when it has none.
    pub(crate) length: u32,
}

/// The data that one thread hands to a kernel. Each thread has its own.
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
    /// `num_workgroups`.
    pub(crate) groups: [u32; 3],
    /// The site that a stopped kernel stopped at, see [`Stop`].
    pub(crate) site: u32,
    /// Iterations of loops that eight invocations may make together in one workgroup.
    pub(crate) steps: u64,
    /// The checker's state; null unless the kernel is checked.
    pub(crate) checker: *mut core::ffi::c_void,
    /// A bucket that the machine code may write to what goes nowhere: 64 bytes.
    pub(crate) nowhere: *mut u8,
}

/// A compiled kernel: runs the workgroups `[x_begin..x_end, y, z]` and returns a [`Stop`].
pub(crate) type Entry = unsafe extern "C" fn(frame: *mut Frame, x_begin: u32, x_end: u32, y: u32, z: u32) -> u32;

/// Why a kernel returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Stop {
    /// All workgroups are done.
    Done = 0,
    /// Not all invocations of a workgroup arrived at one barrier; `Frame::site` says which.
    DivergentBarrier = 1,
    /// A loop passed [`Frame::steps`].
    StepLimit = 2,
}
