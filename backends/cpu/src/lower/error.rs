//! Why a kernel cannot be lowered.

use std::fmt;

use naga::Span;

/// What this backend cannot do, or a limit that a kernel passes.
#[derive(Clone, Debug)]
pub(crate) struct LowerError {
    /// What is wrong, and the numbers.
    pub(crate) message: String,
    /// Where in the WGSL text.
    pub(crate) span: Option<Span>,
}

impl LowerError {
    /// An error without a place; [`at`](Self::at) adds it.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None }
    }

    /// A feature of WGSL or naga that kernels on the processor do not have.
    pub(super) fn unsupported(what: &str) -> Self {
        Self::new(format!("{what} cannot be used in a kernel that runs on the processor"))
    }

    /// naga's validator guarantees what did not hold.
    pub(super) fn invalid(what: &str) -> Self {
        Self::new(format!("the module is not valid: {what}"))
    }

    /// Adds a place, unless a closer one is known.
    pub(super) fn at(mut self, span: Span) -> Self {
        if self.span.is_none() && span.is_defined() {
            self.span = Some(span);
        }
        self
    }
}

impl From<String> for LowerError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The result of every step.
pub(super) type Result<T> = core::result::Result<T, LowerError>;
