//! A product of row-major matrices as one of column-major matrices, which the libraries expect.
//!
//! A row-major matrix is, read column by column, its transpose. `c = a b` is therefore computed as `cT = bT aT`: `b` is
//! the first factor, and rows and columns of the result are exchanged. A matrix that is stored transposed is read as
//! itself, and the library has to transpose it. In both cases a row in memory is a column of the library's matrix, so
//! that the row stride is the leading dimension.

use anywarp_backend::ProductForm;

/// The arguments of a column-major product `C = op(A) op(B)`, without addresses. `A` is our `b`, and `B` our `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ColumnMajor {
    /// The rows of `C`, its columns, and the depth.
    pub(super) sizes: [i64; 3],
    /// Whether the library has to transpose `A` and `B`.
    pub(super) transposed: [bool; 2],
    /// The leading dimensions of `A`, `B` and `C`.
    pub(super) leading: [i64; 3],
    /// The elements from one matrix of a batch to the next, of `A`, `B` and `C`.
    pub(super) distances: [i64; 3],
    /// The number of products.
    pub(super) batches: i64,
}

impl ColumnMajor {
    /// Returns the arguments for a product of these rows, columns and depth; `None` if a stride exceeds 63 bits.
    pub(super) fn of(sizes: [u32; 3], form: &ProductForm) -> Option<Self> {
        let [rows, columns, depth] = sizes.map(i64::from);
        let [a, b, c] = form.stored(sizes);
        let number = |stride: u64| i64::try_from(stride).ok();
        let [of_a, of_b] = form.transposed;
        Some(Self {
            sizes: [columns, rows, depth],
            transposed: [of_b, of_a],
            leading: [number(b.row_stride)?, number(a.row_stride)?, number(c.row_stride)?],
            distances: [number(b.batch_stride)?, number(a.batch_stride)?, number(c.batch_stride)?],
            batches: i64::from(form.batches),
        })
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::{ProductStrides, StoredMatrix};

    use super::*;

    /// A column-major product, computed as the documentation of `cublasGemmStridedBatchedEx` defines it.
    fn by_library(product: &ColumnMajor, of_a: &[f32], of_b: &[f32], c: &mut [f32]) {
        let ColumnMajor { sizes: [m, n, k], transposed, leading, distances, batches } = *product;
        // The library refuses leading dimensions below the rows of its matrices.
        let rows = [if transposed[0] { k } else { m }, if transposed[1] { n } else { k }, m];
        assert!(leading.iter().zip(rows).all(|(leading, rows)| *leading >= rows.max(1)), "{product:?}");
        let element = |of: &[f32], array: usize, batch: i64, [row, column]: [i64; 2]| {
            let [row, column] = if transposed[array] { [column, row] } else { [row, column] };
            of[(batch * distances[array] + row + column * leading[array]) as usize]
        };
        for (batch, i, j) in (0..batches).flat_map(|batch| (0..m).flat_map(move |i| (0..n).map(move |j| (batch, i, j))))
        {
            let sum = (0..k).map(|l| element(of_a, 0, batch, [i, l]) * element(of_b, 1, batch, [l, j])).sum();
            c[(batch * distances[2] + i + j * leading[2]) as usize] = sum;
        }
    }

    /// The place of a row and column of a row-major matrix, which may be stored transposed.
    fn place(of: &StoredMatrix, transposed: bool, batch: u32, [row, column]: [u32; 2]) -> usize {
        let [row, column] = if transposed { [column, row] } else { [row, column] };
        (u64::from(batch) * of.batch_stride + u64::from(row) * of.row_stride + u64::from(column)) as usize
    }

    fn numbers(of: &StoredMatrix, seed: usize) -> Vec<f32> {
        (0..of.elements() as usize).map(|at| ((at * 7 + seed * 5) % 11) as f32 - 5.0).collect()
    }

    fn check(sizes: [u32; 3], form: &ProductForm) {
        let ([rows, columns, depth], [a, b, c]) = (sizes, form.stored(sizes));
        let (of_a, of_b, old) = (numbers(&a, 1), numbers(&b, 2), numbers(&c, 3));
        let (mut wanted, mut got) = (old.clone(), old);
        for (batch, i, j) in
            (0..form.batches).flat_map(|batch| (0..rows).flat_map(move |i| (0..columns).map(move |j| (batch, i, j))))
        {
            let factors = |l| {
                let a = of_a[place(&a, form.transposed[0], batch, [i, l])];
                a * of_b[place(&b, form.transposed[1], batch, [l, j])]
            };
            wanted[place(&c, false, batch, [i, j])] = (0..depth).map(factors).sum();
        }
        by_library(&ColumnMajor::of(sizes, form).unwrap(), &of_b, &of_a, &mut got);
        assert_eq!(got, wanted, "{sizes:?}{form}");
    }

    #[test]
    fn column_major_products_are_the_row_major_ones() {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            for (batches, shared) in [(1, [false; 2]), (3, [true, false]), (2, [false, true])] {
                let dense = ProductForm { transposed, batches, shared, ..ProductForm::default() };
                for sizes in [[3, 5, 4], [1, 6, 2], [4, 1, 3], [2, 3, 1]] {
                    check(sizes, &dense);
                    let strides = dense.stored(sizes).map(|of| of.row_stride + 2);
                    let after = dense.stored(sizes).map(|of| u64::from(of.rows) * (of.row_stride + 2) + 3);
                    let gaps = ProductStrides { rows: strides, batches: after };
                    check(sizes, &ProductForm { strides: Some(gaps), ..dense });
                    // Matrices side by side in common rows.
                    let beside = dense.stored(sizes).map(|of| u64::from(of.columns));
                    let rows = beside.map(|columns| columns * u64::from(batches));
                    check(sizes, &ProductForm { strides: Some(ProductStrides { rows, batches: beside }), ..dense });
                }
            }
        }
    }

    #[test]
    fn the_row_stride_is_the_leading_dimension() {
        let strides = ProductStrides { rows: [10, 20, 30], batches: [100, 200, 300] };
        let form =
            ProductForm { transposed: [true, false], batches: 2, strides: Some(strides), ..ProductForm::default() };
        let wanted = ColumnMajor {
            sizes: [5, 3, 4],
            transposed: [false, true],
            leading: [20, 10, 30],
            distances: [200, 100, 300],
            batches: 2,
        };
        assert_eq!(ColumnMajor::of([3, 5, 4], &form), Some(wanted));
        let far = ProductStrides { rows: [10, u64::MAX, 30], batches: [100; 3] };
        assert_eq!(ColumnMajor::of([3, 5, 4], &ProductForm { strides: Some(far), ..form }), None);
    }
}
