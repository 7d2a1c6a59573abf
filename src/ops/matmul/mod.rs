//! The product of two matrices.

mod elements;
mod plan;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use anywarp_backend::{Caps, Precision};

use super::error::OperationError;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use elements::sealed;
use plan::{Choice, Pass, Sizes};
use run::Operands;

/// Computes `c = a b` for dense row-major matrices: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`, and the sizes
/// are `[m, k, n]`. The old values of `c` are overwritten; with `k` = 0 it becomes zero.
///
/// Sums are computed in `f32` for all element types, in an unspecified order. The error of an element of `c` is at most
/// `k` 2^-24 times the sum of |a||b|, plus the rounding of the result for elements of 16 bits. `f32` is multiplied as
/// `f32`: see [`Matmul::precision`].
///
/// No operand is transposed. A transposed one is copied first, by the kernel `y = x` over a view with strides: for `a` with
/// `m` rows of `k`, `copy.apply::<f32>(&device, shaped(&a, [k, m]).strides([1, k]))`, where `copy` is
/// `ElementwiseKernel::new("x: T", "y: T", "y = x")?`.
///
/// Buffers of any length and slices with any start are permitted. Without the vendor's library, `c` must be in another
/// buffer than `a` and `b`, unless the device has [`Caps::aliased_bindings`]. The borrow checker ensures that the
/// product does not overwrite its inputs:
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

/// A matrix that is multiplied: a buffer or a slice, by `&`, row after row.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of a matrix product",
    label = "expected a reference to a `UnifiedBuffer`, or a slice of one",
    note = "operands are row-major, without a shape or strides: sizes are given as `[m, k, n]`",
    note = "a transposed operand is copied first, by `ElementwiseKernel::new(\"x: T\", \"y: T\", \"y = x\")?` applied to \
            `shaped(&a, [k, m]).strides([1, k])`"
)]
pub trait MatmulInput<'a, T: Element>: Into<Slice<'a, T>> {}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, S: Into<Slice<'a, T>>> MatmulInput<'a, T> for S {}

/// [`matmul`] with a choice of precision, a stream, or a recording.
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// # let (a, b) = (device.buffer::<f32>(64 * 64)?, device.buffer::<f32>(64 * 64)?);
/// # let mut c = device.buffer::<f32>(64 * 64)?;
/// use anywarp::ops::{Matmul, Precision};
///
/// let mut recording = device.recording();
/// Matmul::new([64, 64, 64]).precision(Precision::Tf32).record(&mut recording).run(&a, &b, &mut c)?;
/// recording.submit()?.wait()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a matrix product does nothing until `run` is called"]
pub struct Matmul<'r> {
    sizes: [usize; 3],
    precision: Option<Precision>,
    destination: Destination<'r>,
}

impl<'r> Matmul<'r> {
    /// Creates a product of `m` x `k` and `k` x `n`, given as `[m, k, n]`.
    pub fn new(sizes: [usize; 3]) -> Self {
        Self { sizes, precision: None, destination: Destination::Own }
    }

    /// Sets the precision of the multiplication; the default is that of the elements' type.
    ///
    /// For `f32` matrices [`Precision::Tf32`] is possible: NVIDIA's tensor cores then multiply the first 10 bits of
    /// each mantissa, many times faster. A device whose library has no TF32 computes in `f32` instead, which is slower
    /// and more precise.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Appends the product to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Multiplies on `stream`, in place of the device's default one.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// # let (a, b) = (device.buffer::<f32>(64 * 64)?, device.buffer::<f32>(64 * 64)?);
    /// # let (mut c, mut d) = (device.buffer::<f32>(64 * 64)?, device.buffer::<f32>(64 * 64)?);
    /// use anywarp::ops::Matmul;
    ///
    /// let (first, second) = (device.stream(), device.stream());
    /// Matmul::new([64, 64, 64]).on(&first).run(&a, &b, &mut c)?;
    /// Matmul::new([64, 64, 64]).on(&second).run(&b, &a, &mut d)?; // may run at the same time as the first
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of the product on a device, to compare its time with the device's limits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Matmul::new([100, 200, 300]).cost::<f32>(&device)?;
    /// assert_eq!(cost.flops, 2 * 100 * 200 * 300);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`].
    pub fn cost<T: MatmulElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan::<T>(device.caps())?.cost())
    }

    fn plan<T: MatmulElement>(&self, caps: &Caps) -> Result<Plan<Pass>, OperationError> {
        let [m, k, n] = self.sizes;
        for (argument, rows, columns) in [("a", m, k), ("b", k, n), ("c", m, n)] {
            elements(argument, rows, columns)?;
        }
        // Within 32 bits, as checked by `elements`.
        let sizes = Sizes { m: m as u32, k: k as u32, n: n as u32 };
        let choice = Choice::default_for(caps, wanted::<T>(self.precision)?);
        Ok(plan::plan(sizes, size_of::<T>() as u64, choice))
    }

    /// Multiplies; see [`matmul`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'a, 'b, 'c, T: MatmulElement>(
        mut self,
        a: impl MatmulInput<'a, T>,
        b: impl MatmulInput<'b, T>,
        c: impl Into<SliceMut<'c, T>>,
    ) -> Result<(), OperationError> {
        let mut operands = Operands { a: a.into(), b: b.into(), c: c.into() };
        let plan = self.plan::<T>(operands.c.core.device.caps())?;
        operands.check(self.sizes, &self.destination)?;
        operands.run(self.sizes, &plan, &mut self.destination)
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

/// The number of elements of a matrix.
fn elements(argument: &str, rows: usize, columns: usize) -> Result<usize, OperationError> {
    let countable = [rows, columns].iter().all(|count| u32::try_from(*count).is_ok());
    let elements = rows.checked_mul(columns).filter(|_| countable);
    elements.ok_or_else(|| OPERATOR.too_large(argument, vec![rows, columns], MAX_SIZE))
}
