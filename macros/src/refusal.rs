//! The error if no module can be generated, as text for the compiler's message.

use std::fmt;

use anywarp_backend::Source;
use anywarp_backend::naga::Span;
use anywarp_wgsl::{TextError, diagnostic};

/// An error, with advice on what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Returns an error at a span of the text.
    pub(crate) fn at(source: &Source, message: &str, span: Span, label: &str, note: &str) -> Self {
        let notes = vec![format!("note: {note}")];
        let diagnostic = diagnostic::at(source, message, vec![(span, label.to_owned())], notes);
        Self(format!("{} cannot be turned into a Rust module\n{}", source.file(), diagnostic.trim_end()))
    }
}

impl From<TextError> for Refusal {
    fn from(error: TextError) -> Self {
        Self(error.to_string().trim_end().to_owned())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
