//! Why a matrix product was refused.

use anywarp_backend::{BackendError, Precision};

use crate::error::{BufferError, LaunchError};

/// A matrix product was refused; nothing of it has run.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatmulError {
    /// A buffer or slice that is not as long as its matrix.
    #[error("matrix product: {matrix} is {rows}x{columns}, which is {expected} elements; it has {got}")]
    Length {
        /// `a`, `b` or `c`.
        matrix: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Elements of such a matrix.
        expected: usize,
        /// Elements given.
        got: usize,
    },
    /// A matrix beyond what devices count with.
    #[error(
        "matrix product: {matrix} is {rows}x{columns}: rows and columns may be up to 2^32 - 1 each, and without the \
         vendor's library there may be 2^32 - 256 elements"
    )]
    TooLarge {
        /// `a`, `b` or `c`.
        matrix: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A precision that is not one of the elements' type.
    #[error("matrix product: {precision} was asked for, but the matrices hold {element}: {fits}")]
    Precision {
        /// What was asked for.
        precision: Precision,
        /// The element type.
        element: &'static str,
        /// What can be asked for.
        fits: &'static str,
    },
    /// A bad slice.
    #[error("matrix product: {matrix}: {error}")]
    Slice {
        /// `a`, `b` or `c`.
        matrix: &'static str,
        /// What is wrong with it.
        error: BufferError,
    },
    /// A matrix of another device than `c`, or a recording of another device.
    #[error("matrix product: c is of {ours}, {what} of {theirs}: all must be of one device")]
    OtherDevice {
        /// `a`, `b` or `the recording`.
        what: &'static str,
        /// The device of `c`.
        ours: String,
        /// The other device.
        theirs: String,
    },
    /// A host guard of a matrix is alive.
    #[error("matrix product: {matrix} is in use: drop its {guard} first")]
    InUse {
        /// `a`, `b` or `c`.
        matrix: &'static str,
        /// The guard.
        guard: &'static str,
    },
    /// The kernel that computes it could not be made or launched.
    #[error("matrix product: {0}")]
    Launch(#[from] LaunchError),
    /// The device refused.
    #[error("matrix product on {device}: {error}")]
    Device {
        /// The device's name.
        device: String,
        /// What the backend said.
        error: BackendError,
    },
}
