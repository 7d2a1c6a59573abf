//! Routines of the vendor's, on the device's stream or in a recording.

use anywarp_backend::{BackendError, Library, Precision};

use super::slice::{Slice, SliceMut, byte_range};
use super::transfer::Target;
use crate::Element;
use crate::error::BufferError;

/// Appends a matrix product; the sizes are rows, depth and columns, none of them zero, and the
/// lengths are theirs.
pub(crate) fn matrix_product<T: Element>(
    target: &mut Target<'_>,
    (a, b): (&Slice<'_, T>, &Slice<'_, T>),
    c: &SliceMut<'_, T>,
    [rows, depth, columns]: [u32; 3],
    precision: Precision,
) -> Result<(), BufferError> {
    let (of_a, of_b) = (byte_range::<T>(&a.range.clone()?), byte_range::<T>(&b.range.clone()?));
    let written = byte_range::<T>(&c.range.clone()?);
    let failed = |error: BackendError| c.core.error("multiplying into", error);
    target.prepare(a.core, None).map_err(failed)?;
    target.prepare(b.core, None).map_err(failed)?;
    target.prepare(c.core, Some(&written)).map_err(failed)?;
    target.recording().library(Library::MatrixProduct {
        a: a.core.region(&of_a),
        b: b.core.region(&of_b),
        c: c.core.region(&written),
        rows,
        columns,
        depth,
        precision,
    });
    target.used(a.core, None);
    target.used(b.core, None);
    target.used(c.core, Some(written));
    Ok(())
}
