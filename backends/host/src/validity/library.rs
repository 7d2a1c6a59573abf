//! The rules for calls of library routines.

use anywarp_backend::{BackendError, Library, MemoryKind};

use super::{Check, Resources};

impl<R: Resources> Check<'_, R> {
    pub(super) fn library(&self, call: &Library) -> Result<(), BackendError> {
        let Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form } = *call else {
            return Err(BackendError::no_routine(call));
        };
        if !self.caps.library.contains(&call.routine()) {
            return Err(BackendError::no_routine(call));
        }
        if rows == 0 || columns == 0 || depth == 0 || form.batches == 0 {
            return self.wrong(format_args!("one of rows, columns, depth and batches is zero: at least 1 is expected"));
        }
        let element = precision.bytes();
        let count = |shared: bool| if shared { 1 } else { u128::from(form.batches) };
        let matrices = [
            ("a", a, [rows, depth], count(form.shared[0])),
            ("b", b, [depth, columns], count(form.shared[1])),
            ("c", c, [rows, columns], count(false)),
        ];
        for (name, region, [m, n], count) in matrices {
            // The product has 128 bits: two sizes, the batches and the element together may exceed 64 bits.
            let wanted = (u128::from(m) * u128::from(n) * u128::from(element)).saturating_mul(count);
            if u128::from(region.bytes) < wanted {
                return self.wrong(format_args!(
                    "'{name}' at {region}: expected at least {wanted} bytes, got {}",
                    region.bytes
                ));
            }
            if !region.offset.is_multiple_of(element) {
                return self.wrong(format_args!("'{name}' at {region} must begin at a multiple of {element}"));
            }
            self.region(region, &[MemoryKind::Device, MemoryKind::Shared])?;
        }
        for (name, region) in [("a", a), ("b", b)] {
            if region.overlaps(&c) {
                return self.wrong(format_args!("'{name}' at {region} overlaps 'c' at {c}, which the product writes"));
            }
        }
        Ok(())
    }
}
