//! Rotary position embeddings.

mod run;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use super::rows::elements::FloatElement;
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
use run::{Call, Operands};

/// Rotates pairs of elements of `x` by the angles of their positions. `x` and `y` have the shape `[batches, heads,
/// positions, head size]`, tables of cosines and sines have the shape `[positions, head size / 2]`. A pair consists of
/// an element of the first half of a head and the element at the same index in the second half. See
/// [`RotaryEmbedding`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 1.0, 2.0])?; // two positions of one pair
/// let cosines = device.buffer_from(&[1.0f32, 0.0])?; // angles of 0 and 90 degrees
/// let sines = device.buffer_from(&[0.0f32, 1.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::rotary_embedding(&x, &cosines, &sines, &mut y, [1, 1, 2, 2])?;
/// assert_eq!(*y.read()?, [1.0, 2.0, -2.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`RotaryEmbedding::run`].
pub fn rotary_embedding<'x, 'c, 's, 'y, T: FloatElement>(
    x: impl Into<Slice<'x, T>>,
    cosines: impl Into<Slice<'c, f32>>,
    sines: impl Into<Slice<'s, f32>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: [usize; 4],
) -> Result<(), OperationError> {
    RotaryEmbedding::new(shape).run(x, cosines, sines, y)
}

/// [`rotary_embedding()`] with further options: neighbouring elements as pairs, rotation of only a part of each head,
/// other orders of axes, a stream, or a recording.
///
/// The pair `(a, b)` becomes `(a * cos - b * sin, a * sin + b * cos)` (Su et al., '`RoFormer`', 2021), computed in `f32`
/// for all element types, as by ONNX's `RotaryEmbedding`. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::RotaryEmbedding;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let (cosines, sines) = (device.buffer_from(&[0.0f32])?, device.buffer_from(&[1.0f32])?);
/// let (mut y, mut again) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
/// let mut recording = device.recording();
/// let rotary = || RotaryEmbedding::new([1, 1, 1, 4]).size(2).interleaved();
/// rotary().record(&mut recording).run(&x, &cosines, &sines, &mut y)?;
/// rotary().inverse().record(&mut recording).run(&y, &cosines, &sines, &mut again)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [-2.0, 1.0, 3.0, 4.0]);
/// assert_eq!(*again.read()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a rotary embedding does nothing until `run` is called"]
pub struct RotaryEmbedding<'r> {
    shape: [usize; 4],
    rotated: Option<usize>,
    interleaved: bool,
    positions_first: bool,
    per_batch: bool,
    inverse: bool,
    destination: Destination<'r>,
}

impl<'r> RotaryEmbedding<'r> {
    /// A rotary embedding of arrays of shape `[batches, heads, positions, head size]`, with tables of shape
    /// `[positions, head size / 2]`.
    pub fn new(shape: [usize; 4]) -> Self {
        Self {
            shape,
            rotated: None,
            interleaved: false,
            positions_first: false,
            per_batch: false,
            inverse: false,
            destination: Destination::Own,
        }
    }

    /// Rotates only the first `elements` elements of each head. Tables have half as many columns; the other elements of
    /// a head are copied.
    pub fn size(mut self, elements: usize) -> Self {
        self.rotated = Some(elements);
        self
    }

    /// Forms each pair from two neighbouring elements, in place of one element from each half.
    pub fn interleaved(mut self) -> Self {
        self.interleaved = true;
        self
    }

    /// Expects positions as the second axis: arrays have the shape `[batches, positions, heads, head size]`.
    pub fn positions_first(mut self) -> Self {
        self.positions_first = true;
        self
    }

    /// Expects separate tables for each batch, of shape `[batches, positions, head size / 2]`.
    pub fn per_batch(mut self) -> Self {
        self.per_batch = true;
        self
    }

    /// Rotates by the negative angles. This inverts a rotation, and computes derivatives with respect to `x` from
    /// derivatives with respect to `y`.
    pub fn inverse(mut self) -> Self {
        self.inverse = true;
        self
    }

    /// Appends the rotary embedding to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call, to compare its time with the limits of a device. A rotated element counts as three
    /// operations.
    ///
    /// ```
    /// let rotary = anywarp::ops::RotaryEmbedding::new([2, 8, 10, 64]).size(32);
    /// let cost = rotary.cost::<f32>()?;
    /// assert_eq!((cost.flops, cost.bytes), (3 * 2 * 8 * 10 * 32, 2 * 4 * 2 * 8 * 10 * 64 + 2 * 4 * 10 * 16));
    /// # Ok::<(), anywarp::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Choice`] and [`OperationError::TooLarge`].
    pub fn cost<T: FloatElement>(&self) -> Result<Cost, OperationError> {
        let rotated = self.call::<T>()?.rotated as u64;
        let lines = self.shape[..3].iter().map(|size| *size as u64).product::<u64>();
        let elements = lines * self.shape[3] as u64;
        let angles = self.shape_of_tables(rotated as usize).iter().map(|size| *size as u64).product::<u64>();
        let passes = if elements == 0 { Vec::new() } else { vec![()] };
        let bytes = elements.saturating_mul(2 * size_of::<T>() as u64).saturating_add(8 * angles);
        Ok(Plan { passes, scratch: 0, flops: (lines * rotated).saturating_mul(3), bytes }.cost())
    }

    fn shape_of_tables(&self, rotated: usize) -> Vec<usize> {
        let [batches, ..] = self.shape;
        let positions = self.shape[if self.positions_first { 1 } else { 2 }];
        if self.per_batch { vec![batches, positions, rotated / 2] } else { vec![positions, rotated / 2] }
    }

    /// Returns the checked parameters; an error if an array has more elements than kernels can count.
    fn call<T: FloatElement>(&self) -> Result<Call, OperationError> {
        let Self { shape, interleaved, positions_first, per_batch, inverse, .. } = *self;
        let rotated = self.rotated.unwrap_or(shape[3]);
        if !rotated.is_multiple_of(2) || rotated > shape[3] {
            let expected = format!("rotate an even number of elements, at most the head size {}", shape[3]);
            return Err(OPERATOR.choice("a size of", expected, rotated.to_string()));
        }
        operands::counted::<T>(OPERATOR, "x", &shape)?;
        operands::counted::<f32>(OPERATOR, "cosines", &self.shape_of_tables(rotated))?;
        let (halves, bf16) = (size_of::<T>() == 2, T::BF16);
        Ok(Call { shape, rotated, interleaved, positions_first, per_batch, inverse, halves, bf16 })
    }

    /// Computes `y` from `x`, both with the shape of the rotary embedding, and tables of the cosines and the sines of
    /// all angles. All arrays are buffers or slices of any start; `y` is in another buffer than the inputs unless the
    /// device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an odd number of elements to rotate, or more elements than the head size, arrays of other
    /// lengths, a slice out of range, arrays of two devices, an existing guard, 2^31 - 2^16 elements or more, or an
    /// error of the device. In that case nothing has run.
    pub fn run<'x, 'c, 's, 'y, T: FloatElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        cosines: impl Into<Slice<'c, f32>>,
        sines: impl Into<Slice<'s, f32>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, cosines, sines, y) = (x.into(), cosines.into(), sines.into(), y.into());
        let call = self.call::<T>()?;
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            cosines: operands::bytes(OPERATOR, "cosines", &cosines)?,
            sines: operands::bytes(OPERATOR, "sines", &sines)?,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        let tables = self.shape_of_tables(call.rotated);
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "cosines", (cosines.len(), &tables))?;
        operands::expect(OPERATOR, "sines", (sines.len(), &tables))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        operands.check(&self.destination)?;
        operands.run(call, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("rotary embedding");
