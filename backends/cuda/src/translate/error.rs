//! The reasons why a program cannot be translated.

anywarp_backend::debug_as_display!(TranslateError);

/// A construct of a program that CUDA C++ does not support, or a limit that it exceeds.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// A feature that this backend does not support.
    #[error(
        "{}{what} cannot be used in a kernel for the CUDA backend; use a device of another backend, or write the kernel without it",
        place(*line)
    )]
    Unsupported {
        /// The feature, as the subject of the error's sentence.
        what: String,
        /// The line of the feature in the WGSL, from 1, if known.
        line: Option<u32>,
    },
    /// The kernel exceeds a limit of the backend.
    #[error(
        "{}the kernel exceeds a limit of the CUDA backend: {what}; stay below it, or use a device of another backend",
        place(*line)
    )]
    Limit {
        /// The limit, and the kernel's value.
        what: String,
        /// The line in the WGSL, from 1, if known.
        line: Option<u32>,
    },
    /// The module has an error that the validator should have reported.
    #[error(
        "{}the module is not valid: {what}; the validator should have refused it: please report it with the WGSL",
        place(*line)
    )]
    Invalid {
        /// The construct that is not valid.
        what: String,
        /// The line in the WGSL, from 1, if known.
        line: Option<u32>,
    },
}

/// The result of every step of a translation.
pub(super) type Result<T> = core::result::Result<T, TranslateError>;

impl TranslateError {
    pub(super) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), line: None }
    }

    pub(super) fn limit(what: impl Into<String>) -> Self {
        Self::Limit { what: what.into(), line: None }
    }

    pub(super) fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), line: None }
    }

    /// Sets the source line of the error, unless the error already has one.
    pub(super) fn at(mut self, place: Option<u32>) -> Self {
        let (Self::Unsupported { line, .. } | Self::Limit { line, .. } | Self::Invalid { line, .. }) = &mut self;
        *line = line.or(place);
        self
    }
}

fn place(line: Option<u32>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}
