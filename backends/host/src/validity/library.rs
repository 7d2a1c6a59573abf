//! The rules for calls of library routines.

use anywarp_backend::{BackendError, Library, MemoryKind, Precision, ProductForm, Region, StoredMatrix, Transform};

use super::{Check, Resources};

impl<R: Resources> Check<'_, R> {
    pub(super) fn library(&self, call: &Library) -> Result<(), BackendError> {
        if !self.caps.library.contains(&call.routine()) {
            return Err(BackendError::no_routine(call));
        }
        match *call {
            Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form } => {
                self.product([a, b, c], [rows, columns, depth], precision, form)
            }
            Library::FourierTransform { x, y, transform } => self.transform([x, y], transform),
            _ => Err(BackendError::no_routine(call)),
        }
    }

    fn product(
        &self,
        [a, b, c]: [Region; 3],
        [rows, columns, depth]: [u32; 3],
        precision: Precision,
        form: ProductForm,
    ) -> Result<(), BackendError> {
        if rows == 0 || columns == 0 || depth == 0 || form.batches == 0 {
            return self.wrong(format_args!("one of rows, columns, depth and batches is zero: at least 1 is expected"));
        }
        let stored = form.stored([rows, columns, depth]);
        let elements = [precision.bytes(), precision.bytes(), form.bytes_of_result(precision)];
        for (((name, region), matrix), element) in [("a", a), ("b", b), ("c", c)].into_iter().zip(&stored).zip(elements)
        {
            if !matrix.has_separate_rows() {
                let StoredMatrix { columns, row_stride, .. } = matrix;
                return self.wrong(format_args!(
                    "'{name}' at {region}: expected at least {columns} elements from one row to the next, got {row_stride}"
                ));
            }
            // The number has 128 bits: two sizes, the batches and the element together may exceed 64 bits.
            let wanted = matrix.elements().saturating_mul(u128::from(element));
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
        if !stored[2].is_separate() {
            return self.wrong(format_args!(
                "'c' at {c}: matrices {} elements apart overlap; they must follow each other or lie side by side",
                stored[2].batch_stride
            ));
        }
        for (name, region) in [("a", a), ("b", b)] {
            if region.overlaps(&c) {
                return self.wrong(format_args!("'{name}' at {region} overlaps 'c' at {c}, which the product writes"));
            }
        }
        Ok(())
    }

    fn transform(&self, [x, y]: [Region; 2], transform: Transform) -> Result<(), BackendError> {
        let Transform { lines, length, inner, .. } = transform;
        if lines == 0 || length == 0 || inner == 0 {
            return self.wrong(format_args!(
                "{lines} lines of length {length}, {inner} beside each other: at least 1 of each is expected"
            ));
        }
        let part = transform.bytes_of_part();
        let wanted = transform.numbers() * 2 * u128::from(part);
        for (name, region) in [("x", x), ("y", y)] {
            if u128::from(region.bytes) != wanted {
                return self.wrong(format_args!("'{name}' at {region}: expected {wanted} bytes, got {}", region.bytes));
            }
            if !region.offset.is_multiple_of(part) {
                return self.wrong(format_args!("'{name}' at {region} must begin at a multiple of {part}"));
            }
            self.region(region, &[MemoryKind::Device, MemoryKind::Shared])?;
        }
        if x != y && x.overlaps(&y) {
            return self
                .wrong(format_args!("'x' at {x} overlaps 'y' at {y}: expected the same region, or one apart from it"));
        }
        Ok(())
    }
}
