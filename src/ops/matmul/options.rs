//! The options of a matrix product.

use anywarp_backend::Precision;

use super::super::epilogue::Activation;
use super::{Matmul, MatmulElement, MatmulMethod, MatmulResult};
use crate::buffer::Slice;
use crate::submit::{Destination, Recording, Stream};

impl<'r, T: MatmulElement, R: MatmulResult<T>> Matmul<'r, T, R> {
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

    /// Sets the number of elements from one stored row to the next, of `a`, `b` and `c`, for rows that do not follow
    /// each other directly. The product neither reads nor writes what lies between them. A residual has the strides of
    /// `c`. Arrays may be longer than needed; rows of `c` must not overlap.
    ///
    /// A library takes them as leading dimensions, where [`Caps::library`](crate::backend::Caps::library) has the routine.
    /// Kernels compute products with overlapping rows of `a` or `b`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Matmul;
    ///
    /// // The left half of a matrix of 2 x 4, times a number, into the last column of a matrix of 2 x 3.
    /// let a = device.buffer_from(&[1.0f32, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0])?;
    /// let b = device.buffer_from(&[10.0f32, 1.0])?;
    /// let mut c = device.buffer_from(&[7.0f32; 6])?;
    /// Matmul::new([2, 2, 1]).row_strides([4, 1, 3]).run(&a, &b, c.slice_mut(2..))?;
    /// assert_eq!(*c.read()?, [7.0, 7.0, 12.0, 7.0, 7.0, 34.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn row_strides(mut self, elements: [usize; 3]) -> Self {
        self.row_strides = Some(elements);
        self
    }

    /// Sets the number of elements from one matrix of a batch to the next, of `a`, `b` and `c`. The default is the
    /// number of rows times their stride. The number of a shared matrix is not used. Matrices of `c` must not overlap,
    /// but may lie side by side in common rows, as the heads of an attention do. A residual has the strides of `c`.
    pub fn batch_strides(mut self, elements: [usize; 3]) -> Self {
        self.batch_strides = Some(elements);
        self
    }

    /// Multiplies each product by this number; the default is 1.
    pub fn alpha(mut self, alpha: f32) -> Self {
        self.alpha = alpha;
        self
    }

    /// Adds the old values of `c`, times this number. With 0, the default, they are not read.
    pub fn beta(mut self, beta: f32) -> Self {
        self.beta = beta;
        self
    }

    /// Adds a value for each of the `n` columns of `c`, the same in all batches, before the activation.
    pub fn bias(mut self, bias: impl Into<Slice<'r, R>>) -> Self {
        self.bias = Some(bias.into());
        self
    }

    /// Applies a function to each sum, after the bias.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Adds an array of the shape of `c`, after the activation. It is in another buffer than `c`, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    pub fn residual(mut self, residual: impl Into<Slice<'r, R>>) -> Self {
        self.residual = Some(residual.into());
        self
    }

    /// Computes by this method, in place of the one that [`chosen`](Self::chosen) names.
    pub fn method(mut self, method: MatmulMethod) -> Self {
        self.method = Some(method);
        self
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
}
