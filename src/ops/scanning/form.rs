//! The forms of a scan or a selection, between which callers can choose.

/// The form in which a [`Scan`](crate::ops::Scan) or a selection processes its elements.
/// [`Scan::form`](crate::ops::Scan::form) sets a form, to compare the speed of forms; the default depends on the size
/// and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanForm {
    /// One pass over tiles. The workgroup of each tile reads the sums that earlier tiles have published, and sums an
    /// earlier tile itself rather than wait for it. Scans in place, or of combined values of more than four bytes, use
    /// [`Tiles`](Self::Tiles) instead.
    Chained,
    /// Three passes over tiles: the sum of each tile, the sum of all elements before each tile, the results.
    Tiles,
    /// One pass or three passes over tiles, of which each invocation holds `each` vectors of four elements in
    /// registers. This form needs aligned arrays of whole vectors, no segments, and a device with subgroups.
    Vectors {
        /// The number of vectors of each invocation.
        each: u32,
        /// Whether there is one pass, as for [`Chained`](Self::Chained), instead of three.
        chained: bool,
    },
    /// One invocation scans one of at most `parts` parts of a line, without workgroup memory.
    Lines {
        /// The greatest number of parts of a line.
        parts: u32,
    },
}
