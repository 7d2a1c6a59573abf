//! The product of two matrices.

mod arrays;
mod calls;
mod choice;
mod elements;
mod launch;
mod method;
mod offer;
mod options;
mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;
mod storage;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::marker::PhantomData;

use anywarp_backend::{Factor, Precision, ProductForm};

use super::epilogue::Activation;
use super::error::OperationError;
use super::operator::Operator;
use super::plan::Cost;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;
use choice::Choice;
use elements::sealed;
pub use method::MatmulMethod;
use plan::{Epilogue, Shape, Sizes};
use run::Operands;
use storage::Storage;

/// Computes `c = a b` for dense row-major matrices: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`, and the sizes
/// are `[m, k, n]`. The old values of `c` are overwritten; with `k` = 0 it becomes zero.
///
/// Sums are computed in `f32` for all element types, in an unspecified order. The error of an element of `c` is at most
/// `k` 2^-24 times the sum of |a||b|, plus the rounding of the result for elements of 16 bits. `f32` is multiplied as
/// `f32`: see [`Matmul::precision`].
///
/// [`Matmul`] multiplies transposed matrices and batches, scales the product, and adds it to `c`.
///
/// Buffers of any length and slices with any start are permitted. Without the vendor's library, `c` must be in another
/// buffer than `a` and `b`, unless the device has
/// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings). The borrow checker ensures that the product does not
/// overwrite its inputs:
///
/// ```compile_fail,E0502
/// # fn square(c: &mut anywarp::UnifiedBuffer<f32>) -> anywarp::Result<()> {
/// Ok(anywarp::ops::matmul(&*c, &*c, &mut *c, [2, 2, 2])?)
/// # }
/// ```
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = device.buffer_from(&[5.0f32, 6.0])?;
/// let mut c = device.buffer::<f32>(2)?;
/// anywarp::ops::matmul(&a, &b, &mut c, [2, 2, 1])?;
/// assert_eq!(*c.read()?, [17.0, 39.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn matmul<'a, 'b, 'c, T: MatmulElement>(
    a: impl MatmulInput<'a, T>,
    b: impl MatmulInput<'b, T>,
    c: impl Into<SliceMut<'c, T>>,
    sizes: [usize; 3],
) -> Result<(), OperationError> {
    Matmul::new(sizes).run(a, b, c)
}

/// Elements of matrices: `f32`, [`half::f16`], [`half::bf16`].
pub trait MatmulElement: Element + sealed::Numbers {}

impl<T: Element + sealed::Numbers> MatmulElement for T {}

/// Elements of the product of matrices of `T`: `T` itself, and `f32` for elements of 16 bits.
pub trait MatmulResult<T>: MatmulElement + sealed::ResultOf<T> {}

impl<T, R: MatmulElement + sealed::ResultOf<T>> MatmulResult<T> for R {}

/// A matrix that is multiplied: a buffer or a slice, by `&`, row after row.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of a matrix product",
    label = "expected a reference to a `UnifiedBuffer`, or a slice of one",
    note = "operands are row-major, without a shape or strides: sizes are given as `[m, k, n]`",
    note = "a transposed operand is `Matmul::transpose_a` or `Matmul::transpose_b`"
)]
pub trait MatmulInput<'a, T: Element>: Into<Slice<'a, T>> {}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, S: Into<Slice<'a, T>>> MatmulInput<'a, T> for S {}

/// [`matmul`] with transposed matrices, batches, factors, a bias, an activation, a residual, a choice of precision and
/// method, a stream, or a recording: `c = activation(alpha a b + beta c + bias) + residual`.
///
/// Kernels compute all of this in `f32` and round the result once. The vendor's library computes `alpha a b + beta c`
/// only; where it is [`chosen`](Self::chosen), a second pass does the rest. For results of 16 bits that rounds twice:
/// `alpha a b + beta c`, and the result. A [`method`](Self::method) other than the library rounds once.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Matmul;
///
/// // Two products of rows of two with one matrix of 2 x 3, which is stored as its transpose, 3 x 2.
/// let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = device.buffer_from(&[1.0f32, 0.0, 0.0, 1.0, 1.0, 1.0])?;
/// let mut c = device.buffer_from(&[1.0f32; 6])?;
/// Matmul::new([1, 2, 3]).batches(2).transpose_b().share_b().alpha(10.0).beta(1.0).run(&a, &b, &mut c)?;
/// assert_eq!(*c.read()?, [11.0, 21.0, 31.0, 31.0, 41.0, 71.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
/// A linear layer: a value for each column of `c`, and a function of the sums.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{Activation, Matmul};
///
/// let (x, weights) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[3.0f32, 0.0, 0.0, 4.0])?);
/// let bias = device.buffer_from(&[-4.0f32, 0.5])?;
/// let mut y = device.buffer::<f32>(2)?;
/// Matmul::new([1, 2, 2]).bias(&bias).activation(Activation::Relu).run(&x, &weights, &mut y)?;
/// assert_eq!(*y.read()?, [0.0, 8.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
/// Factors of 16 bits with a result in `f32`, which loses nothing of the sums:
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::f16;
/// use anywarp::ops::Matmul;
///
/// let halves = [2048.0, 1.0].map(f16::from_f32);
/// let (a, b) = (device.buffer_from(&halves)?, device.buffer_from(&[f16::ONE; 2])?);
/// let mut c = device.buffer::<f32>(1)?;
/// Matmul::wide([1, 2, 1]).run(&a, &b, &mut c)?;
/// assert_eq!(*c.read()?, [2049.0]); // as f16, it would be 2048
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// A column-major matrix is a transposed one. For a column-major `c`, multiply in the other order, as the transpose of
/// `a b` is that of `b` times that of `a`.
#[must_use = "a matrix product does nothing until `run` is called"]
pub struct Matmul<'r, T, R = T> {
    sizes: [usize; 3],
    batches: usize,
    transposed: [bool; 2],
    shared: [bool; 2],
    alpha: f32,
    beta: f32,
    bias: Option<Slice<'r, R>>,
    activation: Option<Activation>,
    residual: Option<Slice<'r, R>>,
    precision: Option<Precision>,
    method: Option<MatmulMethod>,
    row_strides: Option<[usize; 3]>,
    batch_strides: Option<[usize; 3]>,
    destination: Destination<'r>,
    _factors: PhantomData<T>,
}

impl<T: MatmulElement> Matmul<'_, T> {
    /// Creates a product of `m` x `k` and `k` x `n`, given as `[m, k, n]`.
    pub fn new(sizes: [usize; 3]) -> Self {
        Self::of(sizes)
    }
}

impl<T: MatmulElement + sealed::Narrow> Matmul<'_, T, f32> {
    /// Creates a product of `m` x `k` and `k` x `n`, given as `[m, k, n]`, of factors of 16 bits, with a result, a bias
    /// and a residual in `f32`. A library that is [`chosen`](Self::chosen) stores the sums in `f32`, too.
    pub fn wide(sizes: [usize; 3]) -> Self {
        Self::of(sizes)
    }
}

impl<T, R> Matmul<'_, T, R> {
    fn of(sizes: [usize; 3]) -> Self {
        Self {
            sizes,
            batches: 1,
            transposed: [false; 2],
            shared: [false; 2],
            alpha: 1.0,
            beta: 0.0,
            bias: None,
            activation: None,
            residual: None,
            precision: None,
            method: None,
            row_strides: None,
            batch_strides: None,
            destination: Destination::Own,
            _factors: PhantomData,
        }
    }
}

impl<T: MatmulElement, R: MatmulResult<T>> Matmul<'_, T, R> {
    /// The cost of the product on a device, to compare its time with the device's limits. An activation is not counted.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Matmul::<f32>::new([100, 200, 300]).cost(&device)?;
    /// assert_eq!(cost.flops, 2 * 100 * 200 * 300);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`]; [`OperationError::View`] for strides with which an
    /// element of `c` would be written twice.
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        let shape = self.shape(true)?;
        Ok(plan::plan(&shape, self.choice(device, &shape)?).cost())
    }

    /// The method by which a device multiplies matrices that begin at multiples of four elements in their buffers: the
    /// one that [`method`](Self::method) names, or the fastest that is known; see [`decisions`](super::decisions).
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn chosen(&self, device: &Device) -> Result<MatmulMethod, OperationError> {
        Ok(self.choice(device, &self.shape(true)?)?.method())
    }

    fn shape(&self, aligned: bool) -> Result<Shape, OperationError> {
        for (argument, shape) in ["a", "b", "c"].into_iter().zip(self.shapes()) {
            elements(argument, &shape)?;
        }
        // Within 32 bits, as checked by `elements`.
        let [m, k, n] = self.sizes.map(|size| size as u32);
        let form = ProductForm {
            transposed: self.transposed,
            batches: self.batches as u32,
            shared: self.shared,
            alpha: Factor::new(self.alpha),
            beta: Factor::new(self.beta),
            // Those of a library's call are in `Storage`.
            ..ProductForm::default()
        };
        let (bias, residual) = (self.bias.is_some(), self.residual.is_some());
        let epilogue = Epilogue { bias, activation: self.activation, residual };
        let storage = Storage {
            is_wide: size_of::<R>() != size_of::<T>(),
            lines: strides("a row stride of", self.row_strides)?,
            batches: strides("a batch stride of", self.batch_strides)?,
        };
        let (sizes, precision) = (Sizes { m, k, n }, wanted::<T>(self.precision)?);
        let shape = Shape { sizes, form, epilogue, precision, aligned, storage };
        if !shape.is_dense() {
            shape.expect_separate_results()?;
        }
        Ok(shape)
    }

    /// The shapes of the three arrays; batches come first, where there are several matrices.
    fn shapes(&self) -> [Vec<usize>; 3] {
        let [m, k, n] = self.sizes;
        let matrix = |[rows, columns]: [usize; 2], transposed: bool, shared: bool| {
            let matrix = if transposed { [columns, rows] } else { [rows, columns] };
            if shared || self.batches == 1 { matrix.to_vec() } else { vec![self.batches, matrix[0], matrix[1]] }
        };
        let [a, b] = self.transposed;
        [matrix([m, k], a, self.shared[0]), matrix([k, n], b, self.shared[1]), matrix([m, n], false, false)]
    }

    fn choice(&self, device: &Device, shape: &Shape) -> Result<Choice, OperationError> {
        let caps = device.caps();
        let Some(method) = self.method else {
            let default = Choice::default_for(caps, shape);
            let is_possible = |choice: &Choice| choice.is_possible(caps, shape);
            return Ok(shape.question().decide(device, default, || Choice::all(caps, shape), is_possible));
        };
        Choice::named(caps, shape, method).map(|choice| shape.question().asked(choice)).ok_or_else(|| {
            OperationError::Choice {
                operator: OPERATOR.name(),
                argument: "the method",
                expected: format!("{}; without `method` the product takes one that is possible", method.needs()),
                got: method.to_string(),
            }
        })
    }

    /// Multiplies; see [`matmul`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a, 'b, 'c>(
        mut self,
        a: impl MatmulInput<'a, T>,
        b: impl MatmulInput<'b, T>,
        c: impl Into<SliceMut<'c, R>>,
    ) -> Result<(), OperationError> {
        let (bias, residual) = (self.bias, self.residual);
        let mut operands = Operands { a: a.into(), b: b.into(), c: c.into(), bias, residual };
        let shape = self.shape(operands.are_aligned()?)?;
        let choice = self.choice(&Device::of(&operands.c.core.device), &shape)?;
        operands.check(self.shapes(), &shape, &self.destination)?;
        self.offer(&operands);
        operands.run(&shape, &plan::plan(&shape, choice), &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("matrix product");
/// Rows and columns are counted in 32 bits.
const MAX_SIZE: u64 = (1 << 32) - 1;

/// The precision of the computation.
fn wanted<T: MatmulElement>(asked: Option<Precision>) -> Result<Precision, OperationError> {
    match asked {
        None => Ok(T::PRECISION),
        Some(precision) if precision == T::PRECISION => Ok(precision),
        Some(Precision::Tf32) if T::PRECISION == Precision::F32 => Ok(Precision::Tf32),
        Some(precision) => Err(OperationError::Choice {
            operator: OPERATOR.name(),
            argument: "the precision",
            expected: format!("the matrices hold {}, so {}", std::any::type_name::<T>(), T::FITTING),
            got: precision.to_string(),
        }),
    }
}

/// The numbers of elements between lines, or between matrices, as kernels count them.
fn strides(argument: &'static str, given: Option<[usize; 3]>) -> Result<Option<[u32; 3]>, OperationError> {
    let Some(given) = given else { return Ok(None) };
    let mut strides = [0; 3];
    for (stride, given) in strides.iter_mut().zip(given) {
        let refused = |_| OPERATOR.choice(argument, format!("use at most {MAX_SIZE} elements"), given.to_string());
        *stride = u32::try_from(given).map_err(refused)?;
    }
    Ok(Some(strides))
}

/// The number of elements of an array.
fn elements(argument: &str, shape: &[usize]) -> Result<usize, OperationError> {
    let countable = shape.iter().all(|count| u32::try_from(*count).is_ok());
    let elements = shape.iter().try_fold(1usize, |product, size| product.checked_mul(*size)).filter(|_| countable);
    elements.ok_or_else(|| OPERATOR.too_large(argument, shape.to_vec(), MAX_SIZE))
}
