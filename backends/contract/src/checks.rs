//! The checks that keep a kernel within its variables and its loops finite, and where they are made.

/// Which tests of indices a kernel has, and which limits of loops.
///
/// They catch the same with [`Proven`](Self::Proven) and [`Driver`](Self::Driver): a read out of range reads
/// some element of the same variable, a write changes none or another of the same variable, and a loop that would
/// never end is left.
///
/// ```
/// use anywarp_backend::{Checks, Unchecked};
///
/// assert_eq!(Checks::default(), Checks::Proven);
/// // SAFETY: the kernel this is for touches nothing.
/// let off = Checks::Off(unsafe { Unchecked::promise() });
/// assert_ne!(off, Checks::Driver);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checks {
    /// Only where nothing has proven that they are needless.
    #[default]
    Proven,
    /// Everywhere: the ones that the backend, or the library below it, makes by itself. To compare with.
    Driver,
    /// Nowhere, on a promise of the author's.
    Off(Unchecked),
}

/// A promise that a kernel needs no checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unchecked(());

impl Unchecked {
    /// Makes the promise.
    ///
    /// # Safety
    /// Whatever the kernel is launched with, it never reads or writes outside of its variables,
    /// divides no integer by zero, converts no float to an integer that cannot hold it, and leaves
    /// every loop.
    #[must_use]
    pub const unsafe fn promise() -> Self {
        Self(())
    }
}
