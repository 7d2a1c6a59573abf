//! Failures that are known, with the reason.

/// A kernel that fails.
pub(crate) struct Known {
    /// A part of its name.
    pub(crate) name: &'static str,
    /// `sm_75`, or empty for all architectures.
    pub(crate) architecture: &'static str,
    pub(crate) reason: &'static str,
}

/// Every one that there is.
const KNOWN: &[Known] = &[];

/// The entry for a kernel on an architecture.
pub(crate) fn find(name: &str, architecture: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| name.contains(known.name) && [architecture, ""].contains(&known.architecture))
}
