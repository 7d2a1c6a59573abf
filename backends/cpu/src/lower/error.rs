//! The reasons why a kernel cannot be lowered.

use std::fmt;

use naga::Span;

/// A construct that this backend does not support, or a limit that a kernel exceeds.
#[derive(Clone, Debug)]
pub(crate) struct LowerError {
    /// The construct or the limit, with its numbers.
    pub(crate) message: String,
    /// The position in the WGSL text.
    pub(crate) span: Option<Span>,
}

impl LowerError {
    /// Returns an error without a position; [`at`](Self::at) adds it.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None }
    }

    /// Returns the error for a feature of WGSL or naga that this backend does not support.
    pub(super) fn unsupported(what: &str) -> Self {
        Self::new(format!("{what} cannot be used in a kernel on the CPU backend"))
    }

    /// Returns the error for a violation that naga's validator should have refused.
    pub(super) fn invalid(what: &str) -> Self {
        Self::new(format!("the module is not valid: {what}"))
    }

    /// Adds a position, unless a more precise one is set.
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

/// The result of every step of lowering.
pub(super) type Result<T> = core::result::Result<T, LowerError>;
