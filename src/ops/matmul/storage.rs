//! The places of matrices in memory.

use anywarp_backend::{ProductForm, ProductStrides};

use super::super::error::OperationError;
use super::plan::Shape;
use super::{OPERATOR, elements};

/// The type of the result, and how matrices lie in memory, where their lines do not follow each other directly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Storage {
    /// Whether factors of 16 bits have a result in `f32`.
    pub(super) is_wide: bool,
    /// The number of elements from one stored row to the next, of `a`, `b` and `c`.
    pub(super) lines: Option<[u32; 3]>,
    /// The number of elements from one matrix of a batch to the next, of `a`, `b` and `c`.
    pub(super) batches: Option<[u32; 3]>,
}

impl Shape {
    /// The stored rows and columns of `a`, `b` and `c`.
    pub(super) fn stored(&self) -> [[u32; 2]; 3] {
        let (sizes, [a, b]) = (self.sizes, self.form.transposed);
        let stored = |[rows, columns]: [u32; 2], transposed| if transposed { [columns, rows] } else { [rows, columns] };
        [stored([sizes.m, sizes.k], a), stored([sizes.k, sizes.n], b), [sizes.m, sizes.n]]
    }

    /// The number of elements from one stored row to the next, of `a`, `b` and `c`.
    pub(super) fn lines(&self) -> [u32; 3] {
        self.storage.lines.unwrap_or(self.stored().map(|[_, columns]| columns))
    }

    /// The number of elements from one matrix of a batch to the next, of `a`, `b` and `c`; 0 for a shared matrix.
    pub(super) fn distances(&self) -> [u64; 3] {
        let (stored, lines) = (self.stored(), self.lines());
        let [a, b] = self.form.shared;
        let mut at = 0;
        [a, b, false].map(|shared| {
            let (array, [rows, _]) = (at, stored[at]);
            at += 1;
            let next = || u64::from(rows) * u64::from(lines[array]);
            if shared { 0 } else { self.storage.batches.map_or_else(next, |batches| u64::from(batches[array])) }
        })
    }

    /// [`distances`](Self::distances) for kernels, none of which takes an array that is longer than 32 bits count.
    pub(super) fn short_distances(&self) -> [u32; 3] {
        self.distances().map(|distance| u32::try_from(distance).unwrap_or(u32::MAX))
    }

    /// The form of the product for a library: with strides only if they leave gaps, as not every library takes them.
    pub(super) fn library_form(&self) -> ProductForm {
        let dense = ProductForm { wide: self.storage.is_wide, ..self.form };
        let strides = ProductStrides { rows: self.lines().map(u64::from), batches: self.distances() };
        let strided = ProductForm { strides: Some(strides), ..dense };
        let sizes = self.library_sizes();
        if strided.stored(sizes) == dense.stored(sizes) { dense } else { strided }
    }

    /// The sizes for a library: rows, columns and depth.
    pub(super) fn library_sizes(&self) -> [u32; 3] {
        [self.sizes.m, self.sizes.n, self.sizes.k]
    }

    /// Whether the rows of `c` follow each other directly, and its matrices.
    pub(super) fn has_dense_c(&self) -> bool {
        let [.., [rows, columns]] = self.stored();
        self.lines()[2] == columns
            && (self.form.batches == 1 || self.distances()[2] == u64::from(rows) * u64::from(columns))
    }

    /// Whether the rows of all matrices follow each other directly.
    pub(super) fn is_dense(&self) -> bool {
        self.storage.lines.is_none() && self.storage.batches.is_none()
    }

    /// The number of elements from the first to the last one of an array, of `a`, `b` or `c`.
    pub(super) fn span(&self, array: usize) -> u64 {
        let [rows, columns] = self.stored()[array].map(u64::from);
        let batches = if self.form.shared.get(array) == Some(&true) { 1 } else { u64::from(self.form.batches) };
        if rows == 0 || columns == 0 || batches == 0 {
            return 0;
        }
        let (line, distance) = (u64::from(self.lines()[array]), self.distances()[array]);
        // Beyond 64 bits, no array is long enough.
        (batches - 1).saturating_mul(distance).saturating_add((rows - 1) * line).saturating_add(columns)
    }

    /// Returns an error if an element of `c` would be written twice.
    pub(super) fn expect_separate_results(&self) -> Result<(), OperationError> {
        let [rows, columns] = self.stored()[2].map(u64::from);
        let (line, distance) = (u64::from(self.lines()[2]), self.distances()[2]);
        let batches = u64::from(self.form.batches);
        let rows_apart = rows < 2 || line >= columns;
        // Matrices are one after the other, or side by side in common rows.
        let after = distance >= rows.saturating_sub(1).saturating_mul(line).saturating_add(columns);
        let beside =
            distance >= columns && line >= batches.saturating_sub(1).saturating_mul(distance).saturating_add(columns);
        if rows_apart && (batches < 2 || rows == 0 || columns == 0 || after || beside) {
            return Ok(());
        }
        Err(OperationError::View {
            operator: OPERATOR.name(),
            argument: "c".to_owned(),
            shape: [batches, rows, columns].map(|size| size as usize).to_vec(),
            strides: [distance, line, 1].map(|size| size as usize).to_vec(),
            problem: "writes one element twice; use a greater distance of its rows or matrices".to_owned(),
        })
    }
}

/// Returns an error unless an array has as many elements as its shape `of`, or, with strides, as many as the product
/// reads or writes.
pub(super) fn expect(argument: &str, of: &[usize], got: usize, shape: &Shape) -> Result<(), OperationError> {
    let expected = elements(argument, of)?;
    let array = ["a", "b", "c"].iter().position(|name| *name == argument || (*name, argument) == ("c", "residual"));
    let operator = OPERATOR.name();
    match array.filter(|_| !shape.is_dense()) {
        Some(array) if (got as u64) < shape.span(array) => Err(OperationError::View {
            operator,
            argument: argument.to_owned(),
            shape: of.to_vec(),
            strides: [shape.distances()[array], shape.lines()[array].into(), 1].map(|stride| stride as usize).to_vec(),
            problem: format!("needs {} elements, but the array has {got}; use a longer one", shape.span(array)),
        }),
        None if got != expected => {
            Err(OperationError::Length { operator, argument: argument.to_owned(), shape: of.to_vec(), expected, got })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::{Precision, ProductForm};

    use super::super::plan::{Epilogue, Sizes};
    use super::*;

    fn shape(lines: [u32; 3], batches: Option<[u32; 3]>) -> Shape {
        let form =
            ProductForm { batches: 2, transposed: [true, false], shared: [false, true], ..ProductForm::default() };
        let storage = Storage { is_wide: false, lines: Some(lines), batches };
        let (sizes, epilogue) = (Sizes { m: 3, k: 4, n: 5 }, Epilogue::NONE);
        Shape { sizes, form, epilogue, precision: Precision::F32, aligned: true, storage }
    }

    #[test]
    fn spans_end_with_the_last_element() {
        // a is stored as 4 x 3, b as 4 x 5 and shared, c as 3 x 5.
        let spans = |shape: Shape| [0, 1, 2].map(|array| shape.span(array));
        assert_eq!(spans(shape([3, 5, 5], None)), [24, 20, 30]);
        assert_eq!(spans(shape([10, 7, 6], None)), [40 + 33, 26, 18 + 17]);
        assert_eq!(spans(shape([10, 7, 6], Some([100, 0, 50]))), [133, 26, 67]);
    }

    /// A library takes a product as strided only if there are gaps.
    #[test]
    fn libraries_get_strides_of_products_with_gaps() {
        let dense = shape([3, 5, 5], None);
        assert_eq!(dense.library_form(), dense.form);
        assert_eq!(shape([3, 5, 5], Some([12, 7, 15])).library_form(), dense.form);
        for (lines, batches) in
            [([4, 5, 5], None), ([3, 6, 5], None), ([3, 5, 6], None), ([3, 5, 5], Some([13, 7, 15]))]
        {
            let form = shape(lines, batches).library_form();
            let wanted = ProductStrides { rows: lines.map(u64::from), batches: shape(lines, batches).distances() };
            assert_eq!(form, ProductForm { strides: Some(wanted), ..dense.form });
        }
        // Beyond 32 bits for a library, which counts further than kernels.
        let far = Shape { sizes: Sizes { m: 1 << 20, k: 4, n: 5 }, ..shape([1 << 20, 5, 1 << 13], None) };
        assert_eq!((far.distances()[2], far.short_distances()[2]), (1 << 33, u32::MAX));
        assert_eq!(far.library_form().strides.map(|strides| strides.batches[2]), Some(1 << 33));
    }

    #[test]
    fn results_are_written_once() {
        let fits = |lines, batches| shape(lines, batches).expect_separate_results().is_ok();
        assert!(fits([3, 5, 5], None) && fits([3, 5, 9], Some([12, 0, 23])));
        assert!(!fits([3, 5, 4], None) && !fits([3, 5, 9], Some([12, 0, 22])));
        // Two matrices side by side.
        assert!(fits([3, 5, 10], Some([12, 0, 5])) && !fits([3, 5, 9], Some([12, 0, 5])));
        assert!(!fits([3, 5, 10], Some([12, 0, 4])));
    }
}
