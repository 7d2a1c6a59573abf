//! Known failures, with reasons.

/// A kernel that is known to fail.
pub(crate) struct Known {
    /// A part of its name.
    pub(crate) name: &'static str,
    /// The architecture, such as `sm_75`; empty for all.
    pub(crate) architecture: &'static str,
    pub(crate) reason: &'static str,
}

/// All known failures.
const KNOWN: &[Known] = &[];

/// The entry for a kernel on an architecture.
pub(crate) fn find(name: &str, architecture: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| name.contains(known.name) && [architecture, ""].contains(&known.architecture))
}
