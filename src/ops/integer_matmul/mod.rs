//! Products of matrices of 8-bit integers, with sums of 32 bits.

mod elements;
mod plan;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::launch::target;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
pub use elements::{ByteElement, SumElement};
use plan::{Shape, max_depth, plan};
use run::Operands;

/// Computes `c = a b` for dense row-major matrices of 8-bit integers, with sums of 32 bits: `a` is `m` x `k`, `b` is
/// `k` x `n`, `c` is `m` x `n`, and the sizes are `[m, k, n]`.
///
/// Each matrix has `i8` or `u8`, the product `i32` or `u32`. Sums are exact, or wrap around like Rust's
/// `wrapping_add`: those of `u8` from a depth of 66,052 in `u32` and 33,026 in `i32` on.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[100i8, -100, 1, 2])?;
/// let b = device.buffer_from(&[100u8, 200])?;
/// let mut c = device.buffer::<i32>(2)?;
/// anywarp::ops::integer_matmul(&a, &b, &mut c, [2, 2, 1])?;
/// assert_eq!(*c.read()?, [-10_000, 500]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`IntegerMatmul::run`].
pub fn integer_matmul<'a, 'b, 'c, A: ByteElement, B: ByteElement, C: SumElement>(
    a: impl Into<Slice<'a, A>>,
    b: impl Into<Slice<'b, B>>,
    c: impl Into<SliceMut<'c, C>>,
    sizes: [usize; 3],
) -> Result<(), OperationError> {
    IntegerMatmul::new(sizes).run(a, b, c)
}

/// [`integer_matmul`] with zeros, transposed matrices, batches, a stream, or a recording:
/// `c = (a - zero of a) (b - zero of b)`.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::IntegerMatmul;
///
/// // Quantised numbers: 128 stands for 0.
/// let a = device.buffer_from(&[128u8, 129, 120, 130])?;
/// let b = device.buffer_from(&[1i8, 2])?; // one matrix of 2 x 1 for two products
/// let mut c = device.buffer::<i32>(2)?;
/// IntegerMatmul::new([1, 2, 1]).batches(2).share_b().zeros([128, 0]).run(&a, &b, &mut c)?;
/// assert_eq!(*c.read()?, [2, -4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a matrix product does nothing until `run` is called"]
pub struct IntegerMatmul<'r> {
    sizes: [usize; 3],
    batches: usize,
    transposed: [bool; 2],
    shared: [bool; 2],
    zeros: [i32; 2],
    destination: Destination<'r>,
}

impl<'r> IntegerMatmul<'r> {
    /// Creates a product of `m` x `k` and `k` x `n`, given as `[m, k, n]`.
    pub fn new(sizes: [usize; 3]) -> Self {
        let destination = Destination::Own;
        Self { sizes, batches: 1, transposed: [false; 2], shared: [false; 2], zeros: [0; 2], destination }
    }

    /// Takes `a` as stored transposed: `k` rows of `m` elements.
    pub fn transpose_a(mut self) -> Self {
        self.transposed[0] = true;
        self
    }

    /// Takes `b` as stored transposed: `n` rows of `k` elements.
    pub fn transpose_b(mut self) -> Self {
        self.transposed[1] = true;
        self
    }

    /// Computes this number of products at once: `a`, `b` and `c` each hold so many matrices, one after the other.
    pub fn batches(mut self, batches: usize) -> Self {
        self.batches = batches;
        self
    }

    /// Takes one matrix `a` for all products of a batch.
    pub fn share_a(mut self) -> Self {
        self.shared[0] = true;
        self
    }

    /// Takes one matrix `b` for all products of a batch.
    pub fn share_b(mut self) -> Self {
        self.shared[1] = true;
        self
    }

    /// Subtracts these numbers from the elements of `a` and of `b`, before they are multiplied. Each is a number that
    /// its matrix could have, as the zero of quantised numbers is.
    pub fn zeros(mut self, zeros: [i32; 2]) -> Self {
        self.zeros = zeros;
        self
    }

    /// Appends the product to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Multiplies on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of the product, to compare its time with the limits of a device.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::IntegerMatmul::new([100, 200, 300]).cost()?;
    /// assert_eq!((cost.flops, cost.bytes), (2 * 100 * 200 * 300, 100 * 200 + 200 * 300 + 4 * 100 * 300));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost(&self) -> Result<Cost, OperationError> {
        Ok(plan(&self.shape()?).cost())
    }

    /// Multiplies; see [`integer_matmul`]. All arrays are buffers or slices of any start; `c` is in another buffer than
    /// `a` and `b`, unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for matrices that are too large, a zero that its matrix could not have, arrays of another
    /// length, a slice out of range, arrays of two devices, an existing guard, or an error of the device. In that case
    /// nothing has run.
    pub fn run<'a, 'b, 'c, A: ByteElement, B: ByteElement, C: SumElement>(
        mut self,
        a: impl Into<Slice<'a, A>>,
        b: impl Into<Slice<'b, B>>,
        c: impl Into<SliceMut<'c, C>>,
    ) -> Result<(), OperationError> {
        let (a, b, c) = (a.into(), b.into(), c.into());
        let shape = self.shape()?;
        zero("the zero of a", self.zeros[0], A::RANGE)?;
        zero("the zero of b", self.zeros[1], B::RANGE)?;
        let operands = Operands {
            a: operands::bytes(OPERATOR, "a", &a)?,
            b: operands::bytes(OPERATOR, "b", &b)?,
            c: operands::bytes_mut(OPERATOR, "c", &c)?,
            signed: [A::RANGE, B::RANGE].map(|range| range[0] < 0),
            zeros: self.zeros,
        };
        let [of_a, of_b, of_c] = self.shapes();
        operands::expect(OPERATOR, "a", (a.len(), &of_a))?;
        operands::expect(OPERATOR, "b", (b.len(), &of_b))?;
        operands::expect(OPERATOR, "c", (c.len(), &of_c))?;
        operands.check(&self.destination)?;
        let most = max_depth(target(&Device::of(&c.core.device)).max_iterations());
        if u64::from(shape.k) > most {
            let expected = format!("use at most {most} on this software device, or the device `cpu`");
            return Err(OPERATOR.choice("a depth of", expected, shape.k.to_string()));
        }
        operands.run(&shape, &plan(&shape), &mut self.destination)
    }

    fn shape(&self) -> Result<Shape, OperationError> {
        let [of_a, of_b, of_c] = self.shapes();
        operands::counted::<u8>(OPERATOR, "a", &of_a)?;
        operands::counted::<u8>(OPERATOR, "b", &of_b)?;
        operands::counted::<u32>(OPERATOR, "c", &of_c)?;
        let countable = |size: usize| u32::try_from(size).ok().filter(|size| *size <= MAX_SIZE);
        let [Some(m), Some(k), Some(n), Some(batches)] =
            [self.sizes[0], self.sizes[1], self.sizes[2], self.batches].map(countable)
        else {
            let shape = self.sizes.into_iter().chain([self.batches]).collect();
            return Err(OPERATOR.too_large("the sizes and batches", shape, u64::from(MAX_SIZE)));
        };
        Ok(Shape { m, k, n, batches, transposed: self.transposed, shared: self.shared })
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
}

const OPERATOR: Operator = Operator("integer matrix product");
/// Kernels count rows, columns and products in 31 bits, as tiles extend beyond the last ones.
const MAX_SIZE: u32 = (1 << 31) - 1;

/// Checks that a zero is in the range of its matrix's numbers.
fn zero(argument: &'static str, zero: i32, [least, most]: [i32; 2]) -> Result<(), OperationError> {
    if (least..=most).contains(&zero) {
        return Ok(());
    }
    Err(OPERATOR.choice(
        argument,
        format!("the matrix holds numbers from {least} to {most}, so use one of them"),
        zero.to_string(),
    ))
}
