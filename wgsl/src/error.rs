//! Errors of WGSL texts, found before any device is used.

use anywarp_backend::Spot;

anywarp_backend::debug_as_display!(TextError);

/// The reason why a text cannot become a module.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The WGSL does not parse or validate.
    #[error("{file} is not valid WGSL\n{diagnostic}")]
    Invalid {
        /// The file as named by the user.
        file: String,
        /// The problem, with the line and a marker below it.
        diagnostic: String,
        /// The author's file and line, if known.
        place: Option<Spot>,
    },
    /// A wrong import, condition or element type.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The file with the mistake, as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// The problem, with the line and a marker below it.
        diagnostic: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// The message of the operating system.
        message: String,
    },
    /// A text that nests too deeply to be parsed safely.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: split them with `let` or a function, or use a loop"
    )]
    TooDeep {
        /// The file as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// The nested constructs: `types`, or operators, brackets and 'else if'.
        what: &'static str,
        /// The depth found.
        depth: u32,
        /// The maximum depth.
        limit: u32,
    },
    /// A bug in the translation of WGSL, found by an internal check.
    #[error(
        "internal error while translating {file}: {message}; the kernel is not at fault: please report it together with the WGSL"
    )]
    Internal {
        /// The file as named by the user.
        file: String,
        /// The message of the check.
        message: String,
    },
}
