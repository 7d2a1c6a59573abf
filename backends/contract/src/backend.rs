//! The trait that every backend implements.

use std::any::Any;

use crate::{BackendError, Caps, Compilation, HostRange, KernelId, MemoryId, MemoryKind, Program, Recording, Ticket};

/// Counts of the work that a device has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// The number of submissions to the device's queue.
    pub submissions: u64,
    /// The number of dispatches in all submissions.
    pub dispatches: u64,
    /// The number of points in all submissions where a command had to wait for an earlier command.
    pub barriers: u64,
    /// The number of kernels that were compiled because no cache contained them.
    pub compilations: u64,
    /// The number of bind groups, descriptor sets or similar objects that were built because no cache contained them.
    pub bind_groups: u64,
}

impl Counters {
    /// Returns counters of zero, for a backend to fill in.
    ///
    /// ```
    /// let mut counters = anywarp_backend::Counters::new();
    /// counters.submissions = 3;
    /// assert_eq!(counters.dispatches, 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A device that stores memory and runs kernels.
///
/// Every method may be called from any thread. A method that fails leaves the device as it was
/// before the call. Once the device is lost every method returns [`BackendError::Lost`], except
/// [`free`](Self::free), [`discard`](Self::discard), [`unmap`](Self::unmap),
/// [`counters`](Self::counters) and [`energy`](Self::energy), which still work.
///
/// A backend is [`Any`], so that a caller can downcast it to a concrete backend and use the methods that only that
/// backend has.
pub trait Backend: Any + Send + Sync {
    /// Returns the properties of the device, which never change.
    fn caps(&self) -> &Caps;

    /// Reserves `bytes` of memory. The id is valid until [`free`](Self::free). The memory reads as zeros on host and
    /// device, and is unmapped; memory of kind Upload or Staging may already be mapped.
    ///
    /// `bytes` is not zero; the backend may round it up. [`MemoryKind::Shared`] is allowed only where [`Caps::unified`]
    /// holds.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] and [`BackendError::TooLarge`] leave the device usable.
    fn allocate(&self, bytes: u64, kind: MemoryKind, label: &str) -> Result<MemoryId, BackendError>;

    /// Frees memory. Submitted work that still uses the memory is not disturbed: the allocation is released when that
    /// work has ended. Mapped memory is unmapped first.
    fn free(&self, memory: MemoryId);

    /// Maps a memory of any kind but Device for the host. When the returned ticket has completed, all submitted work
    /// that uses the memory has ended, the writes of that work are visible to the host, and [`host`](Self::host)
    /// returns the bytes. For a memory that is mapped already, the returned ticket has completed.
    fn map(&self, memory: MemoryId) -> Result<Ticket, BackendError>;

    /// Returns the bytes of a mapped memory. Only one [`HostRange`] may exist per mapping: a second call is refused
    /// with [`BackendError::Rejected`] until the first range is dropped.
    fn host(&self, memory: MemoryId) -> Result<HostRange, BackendError>;

    /// Ends the host's access to a memory: afterwards the device may use the memory and sees what the host wrote.
    /// Unmapping a memory that is not mapped does nothing.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] while the [`HostRange`] is alive; the memory stays mapped.
    fn unmap(&self, memory: MemoryId) -> Result<(), BackendError>;

    /// Compiles a program into a kernel that can be dispatched. The kernel's id is valid until
    /// [`discard`](Self::discard).
    ///
    /// # Errors
    /// [`BackendError::Rejected`] with the driver's message; the device stays usable.
    fn compile(&self, program: &Program) -> Result<Compilation, BackendError>;

    /// Releases a kernel. Submitted work that still uses the kernel is not disturbed.
    fn discard(&self, kernel: KernelId);

    /// Submits work. The commands take effect in their order, after everything submitted before; each command sees the
    /// writes of the commands before it. Work of another [stream](Recording::stream) may run at the same time or in
    /// another order, but with the same results: if two commands access the same bytes and at least one of the two
    /// writes them, the later command waits for the earlier one. The ticket completes when all commands of this
    /// recording have ended. The recording is only borrowed and may be submitted again. Every region in it must lie
    /// within existing memory that is not mapped, and every dispatch must pass the arguments that its program takes,
    /// within [`Caps`].
    ///
    /// # Errors
    /// [`BackendError::UnknownMemory`], [`BackendError::UnknownKernel`], and [`BackendError::Rejected`] for a recording
    /// that breaks these rules, or names a routine that [`Caps::library`] does not list. After an error, no command of
    /// the recording has run, unless the device is lost.
    fn submit(&self, recording: &Recording) -> Result<Ticket, BackendError>;

    /// Returns the counts of the work that the device has done so far.
    fn counters(&self) -> Counters;

    /// Returns the energy in joules that the device has used since an arbitrary time, idle or not, for all programs;
    /// `None` where nothing counts it, which is the default.
    fn energy(&self) -> Option<f64> {
        None
    }
}
