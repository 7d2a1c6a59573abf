//! Why there is no module: a text for the compiler's message.

use std::fmt;

use anywarp_wgsl::TextError;

/// What is wrong, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
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
