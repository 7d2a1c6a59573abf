//! Errors of WGSL texts, found before any device is used.

use anywarp_backend::Spot;

anywarp_backend::debug_as_display!(TextError);

/// The reason why a text gives no module.
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
        /// Where, if known.
        place: Option<Spot>,
    },
    /// A wrong import, condition or element type.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The file in which it is, as its author named it.
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
        /// The message of the system.
        message: String,
    },
    /// It nests too deeply to be read safely.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: split them with `let` or a function, or use a loop"
    )]
    TooDeep {
        /// The file as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// The things that nest: `expressions`, `blocks`.
        what: &'static str,
        /// How deep.
        depth: u32,
        /// How deep it may.
        limit: u32,
    },
    /// A mistake in the reading of WGSL, found by an internal check.
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
