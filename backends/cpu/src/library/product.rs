//! One product: its matrices in blocks, which threads multiply.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Precision, ProductForm, StoredMatrix};
use anywarp_host::threads::spread_over;
use half::{bf16, f16};

use super::halves;

/// Nanoseconds of a multiplication with an addition on one thread: 50 GFLOP/s.
const STEP: f64 = 0.04;
/// Rows and columns of a block of `c`. Larger blocks of 2048^3 are not faster; 128 x 512 takes a tenth longer, because
/// each block arranges its rows of `a` and columns of `b` again.
const BLOCK: [usize; 2] = [256, 512];
/// Rows and columns below which a block is not divided further for more threads.
const SMALL: [usize; 2] = [64, 128];

/// Products of matrices, `c = alpha a b + beta c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
    precision: Precision,
    form: ProductForm,
    /// The places of `a`, `b` and `c`.
    stored: [StoredMatrix; 3],
}

/// A matrix in memory: element `[i, j]` is `i` times `step[0]` plus `j` times `step[1]` elements after `start`.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub(super) start: *mut T,
    pub(super) steps: [usize; 2],
}

impl<T> Matrix<T> {
    /// The matrix with this number in a batch whose first element is `start`, as the product takes it.
    fn of(start: *mut T, stored: &StoredMatrix, is_transposed: bool, batch: usize) -> Self {
        // Within the memory of the matrices, whose size is a `usize`.
        let [row, distance] = [stored.row_stride, stored.batch_stride].map(|stride| stride as usize);
        let steps = if is_transposed { [1, row] } else { [row, 1] };
        Self { start: start.wrapping_add(batch * distance), steps }
    }

    /// The part of the matrix that begins at an element.
    pub(super) fn from(self, [i, j]: [usize; 2]) -> Self {
        Self { start: self.start.wrapping_add(i * self.steps[0] + j * self.steps[1]), ..self }
    }
}

/// A part of one product: a block of `c` of `rows` x `columns`, and the rows and columns that are multiplied for it.
/// Factors have elements `T`, and `c` has elements `R`.
#[derive(Clone, Copy)]
pub(super) struct Block<T, R> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
    pub(super) a: Matrix<T>,
    pub(super) b: Matrix<T>,
    pub(super) c: Matrix<R>,
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

/// The three matrices of the first product of a batch. Threads share the addresses.
struct Matrices<T, R> {
    a: *mut T,
    b: *mut T,
    c: *mut R,
}

// SAFETY: addresses are only numbers; accesses through them are separate unsafe code.
unsafe impl<T, R> Sync for Matrices<T, R> {}

impl Product {
    /// Describes products of `rows` x `depth` and `depth` x `columns`, given as rows, columns and depth.
    pub(crate) fn new([rows, columns, depth]: [u32; 3], precision: Precision, form: ProductForm) -> Self {
        let stored = form.stored([rows, columns, depth]);
        let [rows, columns, depth] = [rows, columns, depth].map(|size| size as usize);
        Self { rows, columns, depth, precision, form, stored }
    }

    /// The label of timings.
    pub(crate) fn name(&self) -> &'static Arc<str> {
        static NAME: OnceLock<Arc<str>> = OnceLock::new();
        NAME.get_or_init(|| Arc::from("matrix product"))
    }

    /// The expected time on one thread in nanoseconds.
    pub(crate) fn estimate(&self) -> f64 {
        [self.rows, self.columns, self.depth, self.form.batches as usize]
            .map(|size| size as f64)
            .iter()
            .product::<f64>()
            * STEP
    }

    /// Computes the products on as many of `threads` threads as are worthwhile.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] for a precision that [`routines`](super::routines) does not list, or if a thread
    /// panics.
    ///
    /// # Safety
    /// `a`, `b` and `c` are aligned to their elements and as large as the product says. Until the call returns, nothing
    /// else writes to them or reads `c`, which overlaps neither `a` nor `b`.
    pub(crate) unsafe fn run(&self, threads: usize, [a, b, c]: [*mut u8; 3]) -> Result<(), BackendError> {
        // SAFETY: as for this function; the elements are of the types that the precision and the form name.
        unsafe {
            match (self.precision, self.form.wide) {
                (Precision::F32, false) => self.run_with::<f32, f32>(threads, [a, b, c], &|block| multiply(&block)),
                (Precision::F16, false) => {
                    self.run_with::<f16, f16>(threads, [a, b, c], &|block| halves::multiply(&block))
                }
                (Precision::F16, true) => {
                    self.run_with::<f16, f32>(threads, [a, b, c], &|block| halves::multiply(&block))
                }
                (Precision::Bf16, false) => {
                    self.run_with::<bf16, bf16>(threads, [a, b, c], &|block| halves::multiply(&block))
                }
                (Precision::Bf16, true) => {
                    self.run_with::<bf16, f32>(threads, [a, b, c], &|block| halves::multiply(&block))
                }
                (other, _) => Err(BackendError::Rejected {
                    operation: "a matrix product",
                    message: format!(
                        "the processor has no product of {other}{}: `Caps::library` lists those that it has",
                        self.form
                    ),
                }),
            }
        }
    }

    /// # Safety
    /// As for [`run`](Self::run). `multiply` accesses nothing but the elements of its block.
    unsafe fn run_with<T, R>(
        &self,
        threads: usize,
        [a, b, c]: [*mut u8; 3],
        multiply: &(dyn Fn(Block<T, R>) + Sync),
    ) -> Result<(), BackendError> {
        let matrices = Matrices::<T, R> { a: a.cast(), b: b.cast(), c: c.cast() };
        let block = self.block(threads);
        let across = self.columns.div_ceil(block[1]);
        let of_one = self.rows.div_ceil(block[0]) * across;
        let batches = self.form.batches as usize;
        let cost = self.estimate() / (of_one * batches) as f64;
        let work = |units: Range<u64>| {
            for unit in units {
                let (batch, at) = (unit as usize / of_one, unit as usize % of_one);
                let first = [at / across * block[0], at % across * block[1]];
                multiply(self.part(&matrices, batch, first, block));
            }
            Ok(())
        };
        spread_over(threads, (of_one * batches) as u64, Some(cost), &work).map(|_| ())
    }

    /// Rows and columns of a block of `c`, so that threads have about two blocks each unless those would be small.
    fn block(&self, threads: usize) -> [usize; 2] {
        let mut block = BLOCK;
        let units = |[rows, columns]: [usize; 2]| {
            self.rows.div_ceil(rows) * self.columns.div_ceil(columns) * self.form.batches as usize
        };
        while threads > 1 && units(block) < 2 * threads && block != SMALL {
            block[usize::from(block[1] > block[0])] /= 2;
        }
        block
    }

    /// The block of `c` that begins at a row and column of one product.
    fn part<T, R>(
        &self,
        matrices: &Matrices<T, R>,
        batch: usize,
        [i, j]: [usize; 2],
        block: [usize; 2],
    ) -> Block<T, R> {
        let Self { rows, columns, depth, form, .. } = *self;
        let [of_a, of_b, of_c] = &self.stored;
        Block {
            rows: block[0].min(rows - i),
            columns: block[1].min(columns - j),
            depth,
            a: Matrix::of(matrices.a, of_a, form.transposed[0], batch).from([i, 0]),
            b: Matrix::of(matrices.b, of_b, form.transposed[1], batch).from([0, j]),
            c: Matrix::of(matrices.c, of_c, false, batch).from([i, j]),
            alpha: form.alpha.get(),
            beta: form.beta.get(),
        }
    }
}

/// Multiplies a block of `f32`.
///
/// # Safety
/// The matrices of the block are valid, and nothing else accesses the elements of `c`.
pub(super) unsafe fn multiply(block: &Block<f32, f32>) {
    let Block { rows, columns, depth, a, b, c, alpha, beta } = *block;
    let [[a_row, a_column], [b_row, b_column], [c_row, c_column]] =
        [a.steps, b.steps, c.steps].map(|steps| steps.map(|step| step as isize));
    // SAFETY: as for this function; rows are within memory, so that steps from one to the next fit in `isize`.
    unsafe {
        matrixmultiply::sgemm(
            rows, depth, columns, alpha, a.start, a_row, a_column, b.start, b_row, b_column, beta, c.start, c_row,
            c_column,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::{Factor, ProductStrides};

    /// Small whole numbers, whose sums are exact.
    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 7 + seed * 5) % 9) as f32 - 4.0).collect()
    }

    /// The products of a form by loops over indices.
    fn reference(product: &Product, a: &[f32], b: &[f32], c: &[f32]) -> Vec<f32> {
        let Product { rows, columns, depth, form, stored, .. } = *product;
        let place = |array: usize, batch: usize, [row, column]: [usize; 2]| {
            let is_transposed = form.transposed.get(array) == Some(&true);
            let [row, column] = if is_transposed { [column, row] } else { [row, column] };
            batch * stored[array].batch_stride as usize + row * stored[array].row_stride as usize + column
        };
        let mut results = c.to_vec();
        for at in 0..form.batches as usize * rows * columns {
            let (batch, i, j) = (at / (rows * columns), at / columns % rows, at % columns);
            let sum: f32 = (0..depth).map(|k| a[place(0, batch, [i, k])] * b[place(1, batch, [k, j])]).sum();
            let result = &mut results[place(2, batch, [i, j])];
            let old = if form.beta.get() == 0.0 { 0.0 } else { form.beta.get() * *result };
            *result = form.alpha.get() * sum + old;
        }
        results
    }

    /// The conversions of numbers to results, and back.
    type Conversions<R> = (fn(f32) -> R, fn(R) -> f32);

    fn check<T: Copy, R: Copy>(product: &Product, from: fn(f32) -> T, (round, to): Conversions<R>) {
        let [a, b, c] = [0, 1, 2].map(|at| numbers(product.stored[at].elements() as usize, at + 1));
        let wanted: Vec<f32> = reference(product, &a, &b, &c).into_iter().map(|sum| to(round(sum))).collect();
        let [mut a, mut b] = [a, b].map(|matrix| matrix.into_iter().map(from).collect::<Vec<T>>());
        let mut c: Vec<R> = c.into_iter().map(round).collect();
        let [a, b] = [&mut a, &mut b].map(|matrix| matrix.as_mut_ptr().cast());
        // SAFETY: the three arrays have as many elements as the product says, and nothing else uses them.
        unsafe { product.run(2, [a, b, c.as_mut_ptr().cast()]).unwrap() };
        let got: Vec<f32> = c.into_iter().map(to).collect();
        assert_eq!(got, wanted, "{product:?}");
    }

    /// Forms of each kind: single and batched, with shared matrices, factors, and gaps between rows and matrices.
    fn forms(sizes: [u32; 3]) -> Vec<ProductForm> {
        let scaled = ProductForm { alpha: Factor::new(2.0), beta: Factor::new(-3.0), ..ProductForm::default() };
        let transposes = [[false, false], [true, false], [false, true], [true, true]];
        let dense = transposes.into_iter().flat_map(|transposed| {
            let one = ProductForm { transposed, ..ProductForm::default() };
            let many = ProductForm { batches: 3, shared: [transposed[1], transposed[0]], transposed, ..scaled };
            [one, ProductForm { transposed, ..scaled }, many]
        });
        let with_gaps = |form: ProductForm| {
            let rows = form.stored(sizes).map(|stored| u64::from(stored.columns) + 3);
            let batches = form.stored(sizes).map(|stored| u64::from(stored.rows) * (u64::from(stored.columns) + 3) + 1);
            [form, ProductForm { strides: Some(ProductStrides { rows, batches }), ..form }]
        };
        dense.flat_map(with_gaps).collect()
    }

    #[test]
    fn products_of_each_form_match_loops() {
        let same: Conversions<f32> = (|value| value, |value| value);
        for sizes in [[1, 1, 1], [65, 33, 7], [3, 700, 5], [257, 513, 3], [5, 6, 1100]] {
            for form in forms(sizes) {
                let of = |precision, wide| Product::new(sizes, precision, ProductForm { wide, ..form });
                check(&of(Precision::F32, false), |value| value, same);
                check(&of(Precision::F16, false), f16::from_f32, (f16::from_f32, f16::to_f32));
                check(&of(Precision::Bf16, false), bf16::from_f32, (bf16::from_f32, bf16::to_f32));
                check(&of(Precision::F16, true), f16::from_f32, same);
                check(&of(Precision::Bf16, true), bf16::from_f32, same);
            }
        }
    }

    #[test]
    fn old_values_are_read_only_if_they_count() {
        let product = Product::new([2, 2, 1], Precision::F32, ProductForm::default());
        let (mut a, mut b, mut c) = ([1.0f32, 2.0], [3.0f32, 4.0], [f32::NAN; 4]);
        // SAFETY: the arrays have as many elements as the product says.
        unsafe { product.run(2, [a.as_mut_ptr().cast(), b.as_mut_ptr().cast(), c.as_mut_ptr().cast()]).unwrap() };
        assert_eq!(c, [3.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn blocks_grow_with_the_product_and_shrink_for_threads() {
        let block = |sizes, threads| Product::new(sizes, Precision::F32, ProductForm::default()).block(threads);
        assert_eq!(block([2048, 2048, 2048], 2), [256, 512]);
        assert_eq!(block([512, 512, 512], 1), [256, 512]);
        assert_eq!(block([512, 512, 512], 2), [256, 256]);
        assert_eq!(block([64, 64, 64], 16), [64, 128]);
        assert_eq!(block([100, 1 << 20, 64], 16), [256, 512]);
    }

    #[test]
    fn a_precision_without_a_routine_is_refused() {
        let product = Product::new([1, 1, 1], Precision::Tf32, ProductForm::default());
        let mut one = [0.0f32; 3];
        let [a, b, c] = one.each_mut().map(|value| std::ptr::from_mut(value).cast());
        // SAFETY: each matrix has one element.
        assert!(unsafe { product.run(2, [a, b, c]) }.unwrap_err().to_string().contains("no product of tf32"));
        let wide = Product::new([1, 1, 1], Precision::F32, ProductForm { wide: true, ..ProductForm::default() });
        // SAFETY: as above.
        assert!(unsafe { wide.run(2, [a, b, c]) }.unwrap_err().to_string().contains("no product of f32 into f32"));
    }
}
