//! Errors of WGSL texts, which are found before any device is used.

use anywarp_backend::Spot;

anywarp_backend::debug_as_display!(TextError);

/// The reason why a text cannot become a module.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The WGSL does not parse or validate.
    #[error("{file} is not valid WGSL\n{diagnostic}")]
    Invalid {
        /// The name of the file, as given by the user.
        file: String,
        /// The mistake, with the line and a marker below it.
        diagnostic: String,
        /// The file and line of the mistake, if known.
        place: Option<Spot>,
    },
    /// An import, an `@if` condition or an element type is wrong.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The name of the file with the mistake, as given by the user.
        file: String,
        /// The line of the mistake.
        line: u32,
        /// The mistake, with the line and a marker below it.
        diagnostic: String,
    },
    /// An imported file cannot be read.
    #[error("{file} cannot be read: {message}")]
    Unreadable {
        /// The name of the imported file.
        file: String,
        /// The message of the operating system, or another reason.
        message: String,
    },
    /// The text nests too deeply to be parsed safely.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: split them with `let` or a function, or use a loop"
    )]
    TooDeep {
        /// The name of the file, as given by the user.
        file: String,
        /// The line of the first construct that nests too deeply.
        line: u32,
        /// The nested constructs: `types`, or operators, brackets and 'else if'.
        what: &'static str,
        /// The nesting depth of these constructs in the text.
        depth: u32,
        /// The maximum nesting depth of these constructs.
        limit: u32,
    },
    /// A bug in the translation of WGSL, found by an internal check.
    #[error(
        "internal error while translating {file}: {message}; this is a fault of anywarp, not of the kernel: please report \
         the message together with the WGSL"
    )]
    Internal {
        /// The name of the file, as given by the user.
        file: String,
        /// The message of the failed check.
        message: String,
    },
}
