//! What can be wrong with a text before any device is asked.

use anywarp_backend::Spot;

/// Why no module could be made of a text.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The WGSL does not parse or validate.
    #[error("{file} is not valid WGSL\n{diagnostic}")]
    Invalid {
        /// The file as named by the user.
        file: String,
        /// What is wrong, with the line and a marker below it.
        diagnostic: String,
        /// Where, if known.
        place: Option<Spot>,
    },
    /// An import, a condition or an element type that cannot be.
    #[error("{file} cannot be composed\n{diagnostic}")]
    Compose {
        /// The file in which it is, as its author named it.
        file: String,
        /// The line.
        line: u32,
        /// What is wrong, with the line and a marker below it.
        diagnostic: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
    /// It nests too deeply to be read safely.
    #[error(
        "{file}:{line}: {what} are nested {depth} deep, the limit is {limit}: give parts of it names, or use a loop"
    )]
    TooDeep {
        /// The file as named by the user.
        file: String,
        /// The line.
        line: u32,
        /// What nests.
        what: &'static str,
        /// How deep.
        depth: u32,
        /// How deep it may.
        limit: u32,
    },
    /// A mistake in what reads WGSL, found by a check of its own.
    #[error(
        "the translator failed on {file}: {message}; this is no fault of the kernel: please report it with its text"
    )]
    Internal {
        /// The file as named by the user.
        file: String,
        /// What the check said.
        message: String,
    },
}
