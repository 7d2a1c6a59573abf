//! The form of a matrix product, and the places of its matrices in memory.
//!
//! All matrices are row-major: the elements of a row in memory are neighbours. To a library with column-major matrices,
//! the rows of a [`StoredMatrix`] are columns, and its row stride is the leading dimension, whether the product takes the
//! matrix as transposed or not.

use std::fmt;

use crate::{Precision, Routine};

/// A factor of type `f32`, stored as its bits so that commands can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor(u32);

impl Factor {
    /// The factor 0.
    pub const ZERO: Self = Self(0);
    /// The factor 1.
    pub const ONE: Self = Self::new(1.0);

    /// Returns the factor with this value.
    #[must_use]
    pub const fn new(value: f32) -> Self {
        Self(value.to_bits())
    }

    /// Returns the factor's value.
    #[must_use]
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// Batches, transposes, places, the type of the result and factors of a matrix product. The default is one product of
/// dense matrices that are not transposed, with a result of the factors' type, `alpha` 1 and `beta` 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductForm {
    /// Whether `a` is stored transposed, as `depth` x `rows`, and whether `b` is, as `columns` x `depth`.
    pub transposed: [bool; 2],
    /// The number of products; not zero.
    pub batches: u32,
    /// Whether all products share one matrix `a`, and whether they share one matrix `b`.
    pub shared: [bool; 2],
    /// Whether `c` has elements of `f32`, although those of `a` and `b` have 16 bits.
    pub wide: bool,
    /// The distances of rows and matrices; `None` if rows follow each other directly, and the matrices of successive
    /// products do.
    pub strides: Option<ProductStrides>,
    /// `alpha`, the factor of the products.
    pub alpha: Factor,
    /// `beta`, the factor of the old values of `c`; if it is 0, those values are not read.
    pub beta: Factor,
}

/// The distances of the rows and matrices of a product, of `a`, `b` and `c`, in elements of each.
///
/// ```
/// use anywarp_backend::{ProductForm, ProductStrides};
///
/// // Two products of 3 x 4 and 4 x 5; b is stored as its transpose, and the rows of c are 8 elements apart.
/// let strides = ProductStrides { rows: [4, 4, 8], batches: [12, 20, 24] };
/// let form = ProductForm { transposed: [false, true], batches: 2, strides: Some(strides), ..ProductForm::default() };
/// let [a, b, c] = form.stored([3, 5, 4]);
/// assert_eq!((b.rows, b.columns), (5, 4));
/// assert_eq!([a, b, c].map(|matrix| matrix.elements()), [24, 40, 24 + 16 + 5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductStrides {
    /// The number of elements from one stored row to the next; at least the length of a row, unless there is only one.
    pub rows: [u64; 3],
    /// The number of elements from one matrix to the next; not used where there is only one.
    pub batches: [u64; 3],
}

/// The matrices of one operand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMatrix {
    /// The number of rows in memory: the columns of a matrix that is stored transposed.
    pub rows: u32,
    /// The number of columns in memory.
    pub columns: u32,
    /// The number of elements from one row in memory to the next; that of columns if there is only one row.
    pub row_stride: u64,
    /// The number of elements from one matrix to the next; 0 if there is only one.
    pub batch_stride: u64,
    /// The number of matrices: 1 if all products share one.
    pub count: u32,
}

impl StoredMatrix {
    /// The number of elements from the first one of the first matrix to the last one of the last.
    #[must_use]
    pub fn elements(&self) -> u128 {
        if self.rows == 0 || self.columns == 0 || self.count == 0 {
            return 0;
        }
        let steps = |count: u32, stride: u64| u128::from(count - 1) * u128::from(stride);
        steps(self.count, self.batch_stride) + steps(self.rows, self.row_stride) + u128::from(self.columns)
    }

    /// Whether no row of a matrix overlaps the next one.
    #[must_use]
    pub fn has_separate_rows(&self) -> bool {
        self.rows < 2 || self.row_stride >= u64::from(self.columns)
    }

    /// Whether no element belongs to two rows or to two matrices: matrices follow each other, or lie side by side in
    /// common rows.
    #[must_use]
    pub fn is_separate(&self) -> bool {
        let (row, distance) = (u128::from(self.row_stride), u128::from(self.batch_stride));
        let columns = u128::from(self.columns);
        let after = distance >= u128::from(self.rows.saturating_sub(1)) * row + columns;
        let beside = distance >= columns && row >= u128::from(self.count.saturating_sub(1)) * distance + columns;
        self.has_separate_rows() && (self.count < 2 || after || beside)
    }
}

impl ProductForm {
    /// Returns the places of `a`, `b` and `c`, for products of these rows, columns and depth.
    #[must_use]
    pub fn stored(&self, [rows, columns, depth]: [u32; 3]) -> [StoredMatrix; 3] {
        let stored = |array: usize, [rows, columns]: [u32; 2]| {
            let is_transposed = self.transposed.get(array) == Some(&true);
            let [rows, columns] = if is_transposed { [columns, rows] } else { [rows, columns] };
            let count = if self.shared.get(array) == Some(&true) { 1 } else { self.batches };
            let given = |of: fn(&ProductStrides) -> [u64; 3]| self.strides.as_ref().map(|strides| of(strides)[array]);
            let row_stride = given(|strides| strides.rows).filter(|_| rows > 1).unwrap_or(u64::from(columns));
            // Two numbers of 32 bits have a product of 64.
            let next = given(|strides| strides.batches).unwrap_or(u64::from(rows) * u64::from(columns));
            StoredMatrix { rows, columns, row_stride, batch_stride: if count > 1 { next } else { 0 }, count }
        };
        [stored(0, [rows, depth]), stored(1, [depth, columns]), stored(2, [rows, columns])]
    }

    /// Returns the routine that a product of this form and precision needs.
    #[must_use]
    pub fn routine(&self, precision: Precision) -> Routine {
        match (self.wide, self.strides.is_some()) {
            (false, false) => Routine::MatrixProduct(precision),
            (true, false) => Routine::WideProduct(precision),
            (false, true) => Routine::StridedProduct(precision),
            (true, true) => Routine::StridedWideProduct(precision),
        }
    }

    /// Bytes of one element of `c`.
    #[must_use]
    pub fn bytes_of_result(&self, precision: Precision) -> u64 {
        if self.wide { 4 } else { precision.bytes() }
    }
}

impl Default for ProductForm {
    fn default() -> Self {
        Self {
            transposed: [false; 2],
            batches: 1,
            shared: [false; 2],
            wide: false,
            strides: None,
            alpha: Factor::ONE,
            beta: Factor::ZERO,
        }
    }
}

/// Shows only the fields that differ from the default, each after a space.
impl fmt::Display for ProductForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transposed, batches, shared, wide, strides, alpha, beta } = *self;
        if wide {
            f.write_str(" into f32")?;
        }
        for (name, transposed, shared) in [("a", transposed[0], shared[0]), ("b", transposed[1], shared[1])] {
            let transposed = if transposed { format!(" transposed {name}") } else { String::new() };
            let shared = if shared { format!(" shared {name}") } else { String::new() };
            write!(f, "{transposed}{shared}")?;
        }
        if batches != 1 {
            write!(f, " batch of {batches}")?;
        }
        if let Some(ProductStrides { rows, batches }) = strides {
            write!(f, " rows {rows:?} matrices {batches:?} apart")?;
        }
        if alpha != Factor::ONE {
            write!(f, " times {}", alpha.get())?;
        }
        if beta != Factor::ZERO {
            write!(f, " plus {} c", beta.get())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(rows: [u64; 3], batches: [u64; 3]) -> ProductForm {
        ProductForm { strides: Some(ProductStrides { rows, batches }), ..ProductForm::default() }
    }

    #[test]
    fn without_strides_rows_and_matrices_follow_each_other() {
        let form = ProductForm { transposed: [true, false], batches: 3, shared: [false, true], ..Default::default() };
        let [a, b, c] = form.stored([2, 5, 7]);
        assert_eq!(a, StoredMatrix { rows: 7, columns: 2, row_stride: 2, batch_stride: 14, count: 3 });
        assert_eq!(b, StoredMatrix { rows: 7, columns: 5, row_stride: 5, batch_stride: 0, count: 1 });
        assert_eq!(c, StoredMatrix { rows: 2, columns: 5, row_stride: 5, batch_stride: 10, count: 3 });
        assert_eq!([a, b, c].map(|matrix| matrix.elements()), [42, 35, 30]);
        // More elements than 64 bits count.
        let [a, ..] = ProductForm { batches: u32::MAX, ..Default::default() }.stored([u32::MAX; 3]);
        assert_eq!(a.elements(), u128::from(u32::MAX).pow(3));
    }

    /// The row stride is that of rows in memory, which are the columns of a transposed matrix.
    #[test]
    fn strides_belong_to_stored_rows() {
        let form = ProductForm { transposed: [true, true], batches: 2, ..strided([3, 9, 6], [50, 60, 70]) };
        let [a, b, c] = form.stored([3, 5, 4]);
        assert_eq!(a, StoredMatrix { rows: 4, columns: 3, row_stride: 3, batch_stride: 50, count: 2 });
        assert_eq!(b, StoredMatrix { rows: 5, columns: 4, row_stride: 9, batch_stride: 60, count: 2 });
        assert_eq!(c, StoredMatrix { rows: 3, columns: 5, row_stride: 6, batch_stride: 70, count: 2 });
        assert_eq!([a, b, c].map(|matrix| matrix.elements()), [50 + 12, 60 + 36 + 4, 70 + 12 + 5]);
    }

    #[test]
    fn strides_of_a_single_row_or_matrix_do_not_count() {
        let form = strided([1, 100, 0], [9, 9, 9]);
        assert_eq!(form.stored([1, 4, 1]), ProductForm::default().stored([1, 4, 1]));
        assert!(form.stored([1, 4, 2])[0].has_separate_rows());
    }

    #[test]
    fn elements_belong_to_one_row_of_one_matrix() {
        let c = |row, batch| ProductForm { batches: 2, ..strided([4, 5, row], [0, 0, batch]) }.stored([3, 5, 4])[2];
        assert!(c(5, 15).is_separate() && c(9, 23).is_separate() && c(10, 5).is_separate());
        assert!(!c(4, 100).is_separate() && !c(4, 100).has_separate_rows());
        for (row, batch) in [(5, 14), (9, 22), (9, 5), (10, 4), (5, 0), (u64::MAX, 4)] {
            assert!(!c(row, batch).is_separate() && c(row, batch).has_separate_rows(), "{row} {batch}");
        }
    }
}
