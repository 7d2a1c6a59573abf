//! Known failures, with reasons.

/// A kernel that is known to fail.
pub(crate) struct Known {
    /// A part of the kernel's name.
    pub(crate) name: &'static str,
    /// The architecture on which the kernel fails, such as `sm_75`; empty for all architectures.
    pub(crate) architecture: &'static str,
    pub(crate) reason: &'static str,
}

/// All known failures.
const KNOWN: &[Known] = &[];

/// The known failure of a kernel on an architecture, if there is one.
pub(crate) fn find(name: &str, architecture: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| name.contains(known.name) && [architecture, ""].contains(&known.architecture))
}
