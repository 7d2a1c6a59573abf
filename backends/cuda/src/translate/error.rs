//! Why a program cannot be translated.

anywarp_backend::debug_as_display!(TranslateError);

/// What of a program has no counterpart in CUDA C++, or which limit it passes.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// A feature that kernels on NVIDIA GPUs do not have here.
    #[error(
        "{}{what} cannot be used in a kernel that runs through CUDA; use a device of another backend, or write the kernel without it",
        place(*line)
    )]
    Unsupported {
        /// The feature.
        what: String,
        /// Its line in the WGSL, from 1, if known.
        line: Option<u32>,
    },
    /// A limit.
    #[error("{}the kernel passes a limit of the CUDA backend: {what}", place(*line))]
    Limit {
        /// The limit, and by how much.
        what: String,
        /// The line in the WGSL, from 1, if known.
        line: Option<u32>,
    },
    /// The module is not what its validation promises.
    #[error("{}the module is not valid: {what}", place(*line))]
    Invalid {
        /// What is wrong.
        what: String,
        /// The line in the WGSL, from 1, if known.
        line: Option<u32>,
    },
}

/// The result of every step.
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

    /// Adds a line, unless a closer one is known.
    pub(super) fn at(mut self, place: Option<u32>) -> Self {
        let (Self::Unsupported { line, .. } | Self::Limit { line, .. } | Self::Invalid { line, .. }) = &mut self;
        *line = line.or(place);
        self
    }
}

fn place(line: Option<u32>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}
