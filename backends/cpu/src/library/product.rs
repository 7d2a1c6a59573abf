//! One product: its matrices in blocks, which threads multiply.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Precision, ProductForm};
use anywarp_host::threads::{count, spread};
use half::{bf16, f16};

use super::halves;

/// Nanoseconds of a multiplication with an addition on one thread: 50 GFLOP/s.
const STEP: f64 = 0.04;
/// Rows and columns of a block of `c`. Larger blocks of 2048^3 are not faster; 128 x 512 takes a tenth longer, because
/// each block arranges its rows of `a` and columns of `b` again.
const BLOCK: [usize; 2] = [256, 512];
/// Rows and columns below which a block is not divided further for more threads.
const SMALL: [usize; 2] = [64, 128];

/// Products of dense matrices, `c = alpha a b + beta c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
    precision: Precision,
    form: ProductForm,
}

/// A matrix in memory: element `[i, j]` is `i` times `step[0]` plus `j` times `step[1]` elements after `start`.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub(super) start: *mut T,
    pub(super) steps: [usize; 2],
}

impl<T> Matrix<T> {
    /// The part of the matrix that begins at an element.
    pub(super) fn from(self, [i, j]: [usize; 2]) -> Self {
        Self { start: self.start.wrapping_add(i * self.steps[0] + j * self.steps[1]), ..self }
    }
}

/// A part of one product: a block of `c` of `rows` x `columns`, and the rows and columns that are multiplied for it.
#[derive(Clone, Copy)]
pub(super) struct Block<T> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
    pub(super) a: Matrix<T>,
    pub(super) b: Matrix<T>,
    pub(super) c: Matrix<T>,
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

/// The three matrices of the first product of a batch. Threads share the addresses.
struct Matrices<T>([*mut T; 3]);

// SAFETY: addresses are only numbers; accesses through them are separate unsafe code.
unsafe impl<T> Sync for Matrices<T> {}

impl<T> Matrices<T> {
    fn get(&self) -> [*mut T; 3] {
        self.0
    }
}

impl Product {
    /// Describes products of `rows` x `depth` and `depth` x `columns`, given as rows, columns and depth.
    pub(crate) fn new([rows, columns, depth]: [u32; 3], precision: Precision, form: ProductForm) -> Self {
        let [rows, columns, depth] = [rows, columns, depth].map(|size| size as usize);
        Self { rows, columns, depth, precision, form }
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

    /// Computes the products on as many threads as are worthwhile.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] for a precision that [`routines`](super::routines) does not list, or if a thread
    /// panics.
    ///
    /// # Safety
    /// `a`, `b` and `c` are aligned to their elements and as large as the product says. Until the call returns, nothing
    /// else writes to them or reads `c`, which overlaps neither `a` nor `b`.
    pub(crate) unsafe fn run(&self, a: *mut u8, b: *mut u8, c: *mut u8) -> Result<(), BackendError> {
        // SAFETY: as for this function; the elements are of the type that the precision names.
        unsafe {
            match self.precision {
                Precision::F32 => self.run_with([a, b, c].map(<*mut u8>::cast), &|block| multiply(&block)),
                Precision::F16 => {
                    self.run_with::<f16>([a, b, c].map(<*mut u8>::cast), &|block| halves::multiply(&block))
                }
                Precision::Bf16 => {
                    self.run_with::<bf16>([a, b, c].map(<*mut u8>::cast), &|block| halves::multiply(&block))
                }
                other => Err(BackendError::Rejected {
                    operation: "a matrix product",
                    message: format!(
                        "the processor has no product of {other}: `Caps::library` lists those that it has"
                    ),
                }),
            }
        }
    }

    /// # Safety
    /// As for [`run`](Self::run). `multiply` accesses nothing but the elements of its block.
    unsafe fn run_with<T>(
        &self,
        matrices: [*mut T; 3],
        multiply: &(dyn Fn(Block<T>) + Sync),
    ) -> Result<(), BackendError> {
        let matrices = Matrices(matrices);
        let block = self.block(count());
        let across = self.columns.div_ceil(block[1]);
        let of_one = self.rows.div_ceil(block[0]) * across;
        let batches = self.form.batches as usize;
        let cost = self.estimate() / (of_one * batches) as f64;
        let work = |units: Range<u64>| {
            for unit in units {
                let (batch, at) = (unit as usize / of_one, unit as usize % of_one);
                let first = [at / across * block[0], at % across * block[1]];
                multiply(self.part(matrices.get(), batch, first, block));
            }
            Ok(())
        };
        spread((of_one * batches) as u64, Some(cost), &work).map(|_| ())
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
    fn part<T>(&self, [a, b, c]: [*mut T; 3], batch: usize, [i, j]: [usize; 2], block: [usize; 2]) -> Block<T> {
        let Self { rows, columns, depth, form, .. } = *self;
        let steps = |transposed: bool, rows: usize, columns: usize| if transposed { [1, rows] } else { [columns, 1] };
        let matrix = |start: *mut T, steps, shared: bool, elements: usize| {
            let distance = if shared { 0 } else { batch * elements };
            Matrix { start: start.wrapping_add(distance), steps }
        };
        let a = matrix(a, steps(form.transposed[0], rows, depth), form.shared[0], rows * depth);
        let b = matrix(b, steps(form.transposed[1], depth, columns), form.shared[1], depth * columns);
        let c = matrix(c, steps(false, rows, columns), false, rows * columns);
        Block {
            rows: block[0].min(rows - i),
            columns: block[1].min(columns - j),
            depth,
            a: a.from([i, 0]),
            b: b.from([0, j]),
            c: c.from([i, j]),
            alpha: form.alpha.get(),
            beta: form.beta.get(),
        }
    }
}

/// Multiplies a block of `f32`.
///
/// # Safety
/// The matrices of the block are valid, and nothing else accesses the elements of `c`.
pub(super) unsafe fn multiply(block: &Block<f32>) {
    let Block { rows, columns, depth, a, b, c, alpha, beta } = *block;
    let [[a_row, a_column], [b_row, b_column], [c_row, c_column]] =
        [a.steps, b.steps, c.steps].map(|steps| steps.map(|step| step as isize));
    // SAFETY: as for this function; the steps are those of dense matrices, which fit in memory and hence in `isize`.
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
    use anywarp_backend::Factor;

    /// Small whole numbers, whose sums are exact.
    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 7 + seed * 5) % 9) as f32 - 4.0).collect()
    }

    /// The products of a form by loops over indices.
    fn reference(product: &Product, a: &[f32], b: &[f32], c: &[f32]) -> Vec<f32> {
        let Product { rows, columns, depth, form, .. } = *product;
        let mut results = c.to_vec();
        for (at, result) in results.iter_mut().enumerate() {
            let (batch, i, j) = (at / (rows * columns), at / columns % rows, at % columns);
            let first = form.shared.map(|shared| if shared { 0 } else { batch });
            let sum: f32 = (0..depth)
                .map(|k| {
                    let a_at = if form.transposed[0] { k * rows + i } else { i * depth + k };
                    let b_at = if form.transposed[1] { j * depth + k } else { k * columns + j };
                    a[first[0] * rows * depth + a_at] * b[first[1] * depth * columns + b_at]
                })
                .sum();
            let old = if form.beta.get() == 0.0 { 0.0 } else { form.beta.get() * *result };
            *result = form.alpha.get() * sum + old;
        }
        results
    }

    fn check<T: Copy>(product: &Product, from: fn(f32) -> T, to: fn(T) -> f32) {
        let Product { rows, columns, depth, form, .. } = *product;
        let count = |shared: bool| if shared { 1 } else { form.batches as usize };
        let a = numbers(rows * depth * count(form.shared[0]), 1);
        let b = numbers(depth * columns * count(form.shared[1]), 2);
        let c = numbers(rows * columns * count(false), 3);
        let wanted: Vec<f32> = reference(product, &a, &b, &c).into_iter().map(|sum| to(from(sum))).collect();
        let [mut a, mut b, mut c] = [a, b, c].map(|matrix| matrix.into_iter().map(from).collect::<Vec<T>>());
        let [a, b] = [&mut a, &mut b].map(|matrix| matrix.as_mut_ptr().cast());
        // SAFETY: the three arrays have as many elements as the product says, and nothing else uses them.
        unsafe { product.run(a, b, c.as_mut_ptr().cast()).unwrap() };
        let got: Vec<f32> = c.into_iter().map(to).collect();
        assert_eq!(got, wanted, "{product:?}");
    }

    #[test]
    fn products_of_each_form_match_loops() {
        let scaled = ProductForm { alpha: Factor::new(2.0), beta: Factor::new(-3.0), ..ProductForm::default() };
        let forms = [[false, false], [true, false], [false, true], [true, true]].into_iter().flat_map(|transposed| {
            let one = ProductForm { transposed, ..ProductForm::default() };
            let many = ProductForm { batches: 3, shared: [transposed[1], transposed[0]], transposed, ..scaled };
            [one, ProductForm { transposed, ..scaled }, many]
        });
        let forms: Vec<ProductForm> = forms.collect();
        for sizes in [[1, 1, 1], [65, 33, 7], [3, 700, 5], [257, 513, 3], [5, 6, 1100]] {
            for form in &forms {
                check(&Product::new(sizes, Precision::F32, *form), |value| value, |value| value);
                check(&Product::new(sizes, Precision::F16, *form), f16::from_f32, f16::to_f32);
                check(&Product::new(sizes, Precision::Bf16, *form), bf16::from_f32, bf16::to_f32);
            }
        }
    }

    #[test]
    fn old_values_are_read_only_if_they_count() {
        let product = Product::new([2, 2, 1], Precision::F32, ProductForm::default());
        let (mut a, mut b, mut c) = ([1.0f32, 2.0], [3.0f32, 4.0], [f32::NAN; 4]);
        // SAFETY: the arrays have as many elements as the product says.
        unsafe { product.run(a.as_mut_ptr().cast(), b.as_mut_ptr().cast(), c.as_mut_ptr().cast()).unwrap() };
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
        assert!(unsafe { product.run(a, b, c) }.unwrap_err().to_string().contains("no product of tf32"));
    }
}
