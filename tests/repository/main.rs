//! Rules of the repository: which modules use which, the words of its texts, its documents, its environment variables.

mod arrows;
mod documents;
mod environment;
mod error_types;
mod words;
