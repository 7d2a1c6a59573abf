//! Driver failures that are known: each must still fail, so that none stays here for longer than
//! it is true.

/// A case that fails on some device through no fault of anywarp's.
pub(crate) struct KnownFailure {
    /// A part of the device's name or driver, in lower case.
    pub(crate) device: &'static str,
    /// The case, without the device: `kernel::f16`.
    pub(crate) case: &'static str,
    /// What the driver does wrong.
    pub(crate) reason: &'static str,
}

const KNOWN_FAILURES: &[KnownFailure] = &[];

/// The entry for `case` on a device that calls itself `device`.
pub(crate) fn known_failure(device: &str, case: &str) -> Option<&'static KnownFailure> {
    let device = device.to_lowercase();
    KNOWN_FAILURES.iter().find(|known| known.case == case && device.contains(known.device))
}
