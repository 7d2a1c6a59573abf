//! The checks that keep a kernel's accesses within its variables and its loops finite, and where they are inserted.

/// The index checks and loop limits that a kernel is compiled with.
///
/// [`Proven`](Self::Proven) and [`Driver`](Self::Driver) give the same guarantee: a read out of range returns some
/// element of the same variable, a write out of range changes nothing or another element of the same variable, and a
/// loop that would not end is left after a limited number of iterations.
///
/// ```
/// use anywarp_backend::{Checks, Unchecked};
///
/// assert_eq!(Checks::default(), Checks::Proven);
/// // SAFETY: this kernel accesses no memory.
/// let off = Checks::Off(unsafe { Unchecked::promise() });
/// assert_ne!(off, Checks::Driver);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checks {
    /// Checks only at accesses and loops for which the analysis has not proven them needless.
    #[default]
    Proven,
    /// Checks at every access and loop, as the backend or the library below it inserts them; for comparison with
    /// `Proven`.
    Driver,
    /// No checks, because the author promises that the kernel needs none.
    Off(Unchecked),
}

/// A promise that a kernel needs no checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unchecked(());

impl Unchecked {
    /// Makes the promise that a kernel needs no checks.
    ///
    /// # Safety
    /// For every launch, the kernel must not read or write outside of its variables, divide an integer by zero, convert
    /// a float to an integer type that cannot hold it, or loop endlessly.
    #[must_use]
    pub const unsafe fn promise() -> Self {
        Self(())
    }
}
