//! The choice between the forms of a scan or a selection.

/// The way in which a [`Scan`](crate::ops::Scan) or a selection processes its elements.
/// [`Scan::form`](crate::ops::Scan::form) sets it, to compare them; the default depends on the size and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanForm {
    /// One pass over tiles; each reads the sums that tiles before it have published, and sums a tile that it would have
    /// to wait for. In place, and for combined values of more than four bytes, it is [`Tiles`](Self::Tiles) instead.
    Chained,
    /// Three passes over tiles: the sum of each, the sums before each, the results.
    Tiles,
    /// One pass or three over tiles of this many vectors of four elements for each invocation, held in registers; for
    /// aligned arrays of whole vectors without segments, on devices with subgroups.
    Vectors {
        /// The vectors of an invocation.
        each: u32,
        /// Whether it takes one pass.
        chained: bool,
    },
    /// An invocation walks one of at most this many parts of a line, without workgroup memory.
    Lines {
        /// The number of parts of a line.
        parts: u32,
    },
}
