//! Conversions of numbers from one type to another.

mod elements;
mod plan;
#[cfg(all(test, feature = "cpu"))]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::submit::{Destination, Recording, Stream};
pub use elements::CastElement;
use plan::{Pass, Shape, plan};
use run::Operands;

/// Converts the numbers of `x` to the type of `y`, as Rust's `as`. See [`Cast`].
///
/// A float becomes an integer without its fraction, the nearest integer of the type if it is out of range, and 0 if it
/// is NaN. An integer that is too large for an integer type loses its upper bits. Conversions to floats return the
/// nearest float, and the one with an even last bit if two are equally near.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.9f32, -1.9, 300.0, f32::NAN])?;
/// let mut y = device.buffer::<u8>(4)?;
/// anywarp::ops::cast(&x, &mut y)?;
/// assert_eq!(*y.read()?, [1, 0, 255, 0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Cast::run`].
pub fn cast<'x, 'y, T: CastElement, U: CastElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, U>>,
) -> Result<(), OperationError> {
    Cast::new().run(x, y)
}

/// [`cast`] on a stream, or into a recording.
///
/// All types are available on every device, and all devices compute the same bits: the kernel calculates with integers
/// of 32 bits. NaN stays NaN, with its sign and without its other bits; equal types keep all bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Cast;
/// use half::f16;
///
/// let (x, mut y) = (device.buffer_from(&[1i64, -3, 70_000])?, device.buffer::<f16>(3)?);
/// let mut recording = device.recording();
/// Cast::new().record(&mut recording).run(&x, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [f16::from_f32(1.0), f16::from_f32(-3.0), f16::INFINITY]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a conversion does nothing until `run` is called"]
#[derive(Default)]
pub struct Cast<'r> {
    destination: Destination<'r>,
}

impl<'r> Cast<'r> {
    /// A conversion; the arrays of [`run`](Self::run) determine both types.
    pub fn new() -> Self {
        Self { destination: Destination::Own }
    }

    /// Appends the conversion to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of converting `length` numbers, to compare its time with the limits of a device. Arithmetic is not
    /// counted.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Cast::new().cost::<f32, u8>(1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 5000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: CastElement, U: CastElement>(&self, length: usize) -> Result<Cost, OperationError> {
        Ok(self.plan::<T, U>(length, 0, None)?.cost())
    }

    fn plan<T: CastElement, U: CastElement>(
        &self,
        length: usize,
        start: u64,
        window: Option<u64>,
    ) -> Result<Plan<Pass>, OperationError> {
        operands::counted::<T>(OPERATOR, "x", &[length])?;
        operands::counted::<U>(OPERATOR, "y", &[length])?;
        let sizes = [size_of::<T>() as u64, size_of::<U>() as u64];
        Ok(plan(Shape { length: length as u64, sizes, start, window }))
    }

    /// Converts the numbers of `x`, and writes them to `y`, which has the same length. Both arrays are buffers or
    /// slices of any start, in different buffers unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for different lengths, a slice out of range, arrays of two devices, an existing guard, or an
    /// error of the device. In that case nothing has run.
    pub fn run<'x, 'y, T: CastElement, U: CastElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, U>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let operands = Operands { x: operands::bytes(OPERATOR, "x", &x)?, y: operands::bytes_mut(OPERATOR, "y", &y)? };
        let window = operands.window([size_of::<T>() as u64, size_of::<U>() as u64]);
        let plan = self.plan::<T, U>(x.len(), operands::start_mut(&operands.y), window)?;
        operands::expect(OPERATOR, "y", (y.len(), &[x.len()]))?;
        operands.check(&self.destination)?;
        operands.run([T::FORMAT, U::FORMAT], &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("cast");
