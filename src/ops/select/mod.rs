//! Selections: the elements of an array that fulfil a condition, in their order.

mod kept;
mod plan;
mod question;
#[cfg(test)]
mod reference;
mod run;
mod runs;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::operation::arguments::Array;
use super::operation::types::ElementType;
use super::operator::Operator;
use super::plan::Cost;
use super::scanning::element::{ScanElement, element};
use super::scanning::form::ScanForm;
use super::scanning::operands;
use super::scanning::sizes::Chain;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::kernel::DeviceCount;
use crate::submit::{Destination, Recording, Stream};
use kept::{Kept, Output};
use run::{Call, Operands};
pub use runs::{RunLengths, run_length_decode, run_length_encode};

/// Writes the elements of `x` whose flag is not zero to `y`, in their order, and returns their number.
///
/// The number stays on the device: launches can use it as the number of their invocations
/// ([`Launch::threads_of`](crate::Launch::threads_of)), and the host does not wait for it until it is
/// [read](DeviceCount::read). Elements of `y` behind the written elements are unchanged. If `y` is too short, it
/// receives the first of the selected elements; the number still counts all of these. [`Select`] has other conditions
/// and results.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.5f32, 2.5, 3.5, 4.5])?;
/// let flags = device.buffer_from(&[0u32, 1, 0, 1])?;
/// let mut y = device.buffer::<f32>(4)?;
/// let count = anywarp::ops::select(&x, &flags, &mut y)?;
/// assert_eq!(count.read()?, 2);
/// assert_eq!(y.read()?[..2], [2.5, 4.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn select<'x, 'f, 'y, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    flags: impl Into<Slice<'f, u32>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<DeviceCount, OperationError> {
    Select::flags(flags).run(x, y)
}

/// Writes the elements of `x` whose flag is not zero to `kept` and all others to `rest`, both in their order, and returns
/// the number of elements in `kept`.
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn partition<'x, 'f, 'y, 'z, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    flags: impl Into<Slice<'f, u32>>,
    kept: impl Into<SliceMut<'y, T>>,
    rest: impl Into<SliceMut<'z, T>>,
) -> Result<DeviceCount, OperationError> {
    Select::flags(flags).partition(x, kept, rest)
}

/// Writes the first element of each run of equal neighbours of `x` to `y`, and returns the number of runs. From sorted
/// elements, this removes all duplicates. A NaN is equal to no element.
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn unique<'x, 'y, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<DeviceCount, OperationError> {
    Select::changes().run(x, y)
}

/// Writes the indices of the elements of `x` that are not zero to `indices`, and returns their number.
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn nonzero<'x, 'y, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<SliceMut<'y, u32>>,
) -> Result<DeviceCount, OperationError> {
    Select::not_zero().indices(x, indices)
}

/// A selection: a condition, and what is written for the elements that fulfil it. The order of the elements is kept. The
/// number of elements stays on the device; see [`select`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Select;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[4i32, -1, 0, -7, 2])?;
/// let mut y = device.buffer::<i32>(5)?;
/// let count = Select::new("x < 0").run(&x, &mut y)?;
/// assert_eq!(y.read()?[..count.read()? as usize], [-1, -7]);
///
/// let mut indices = device.buffer::<u32>(5)?;
/// let count = Select::not_zero().indices(&x, &mut indices)?;
/// assert_eq!(indices.read()?[..count.read()? as usize], [0, 1, 3, 4]);
///
/// let (mut even, mut odd) = (device.buffer::<i32>(5)?, device.buffer::<i32>(5)?);
/// let count = Select::new("x % 2 == 0").partition(&x, &mut even, &mut odd)?;
/// assert_eq!((count.read()?, &even.read()?[..3], &odd.read()?[..2]), (3, &[4, 0, 2][..], &[-1, -7][..]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a selection does nothing until `run`, `indices` or `partition` is called"]
pub struct Select<'r> {
    kept: Kept,
    flags: Option<Slice<'r, u32>>,
    form: Option<ScanForm>,
    destination: Destination<'r>,
}

impl<'r> Select<'r> {
    /// A selection of the elements for which a WGSL expression of type `bool` is true: `x` is the element, `i` its
    /// index.
    pub fn new(condition: &str) -> Self {
        Self::of(Kept::Predicate { expression: condition.to_owned(), preamble: String::new() })
    }

    /// A selection of the elements whose flag is not zero. There are as many flags as elements.
    pub fn flags(flags: impl Into<Slice<'r, u32>>) -> Self {
        Self { flags: Some(flags.into()), ..Self::of(Kept::Flags) }
    }

    /// A selection of the first element and of the elements that differ from the element before; see [`unique`].
    pub fn changes() -> Self {
        Self::of(Kept::Changes)
    }

    /// A selection of the elements that are not zero, and of vectors with a component that is not zero. NaN counts as
    /// not zero, -0 as zero.
    pub fn not_zero() -> Self {
        Self::of(Kept::NotZero)
    }

    fn of(kept: Kept) -> Self {
        Self { kept, flags: None, form: None, destination: Destination::Own }
    }

    /// Sets WGSL declarations for the condition of [`new`](Self::new): functions and constants.
    pub fn preamble(mut self, wgsl: &str) -> Self {
        if let Kept::Predicate { preamble, .. } = &mut self.kept {
            wgsl.clone_into(preamble);
        }
        self
    }

    /// Sets the form in which elements are processed, to compare the speed of forms; see [`ScanForm`].
    pub fn form(mut self, form: ScanForm) -> Self {
        self.form = Some(form);
        self
    }

    /// Appends the selection to `recording`, in place of the device's default stream. The returned count has the number
    /// of elements from the last submission of the recording.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Selects on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Sets the destination, for operators that are built on a selection.
    pub(crate) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// The cost of [`run`](Self::run) for `length` elements on a device, to compare its time with the limits of the
    /// device. The number of bytes is a lower bound: the elements that are written are not counted, as their number is
    /// unknown.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Select::new("x > 0").cost::<f32>(&device, 1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (1000, 4000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`].
    pub fn cost<T: ScanElement>(&self, device: &Device, length: usize) -> Result<Cost, OperationError> {
        let shape = call(&self.kept, Output::Values, element::<T>()).shape(length as u64)?;
        let choice =
            self.form.map_or_else(|| plan::Choice::of(shape, device), |form| shape.question().asked(form.into()));
        Ok(plan::plan(shape, choice).plan.cost())
    }

    /// Writes the selected elements to `y`; see [`select`].
    ///
    /// On devices without [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings), outputs must be in other
    /// buffers than `x`, the flags and each other.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'x, 'y, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<DeviceCount, OperationError> {
        self.write::<T>(Output::Values, Array::new::<T>(x.into()), ("y", Array::new::<T>(y.into())), None)
    }

    /// Writes the indices of the selected elements to `indices`.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn indices<'x, 'y, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<SliceMut<'y, u32>>,
    ) -> Result<DeviceCount, OperationError> {
        let indices = Array::new::<u32>(indices.into());
        self.write::<T>(Output::Places, Array::new::<T>(x.into()), ("indices", indices), None)
    }

    /// Writes the selected elements to `y` and their indices to `indices`. `y` and `indices` may have different
    /// lengths.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::Select;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let x = device.buffer_from(&[7u32, 7, 3])?;
    /// let (mut y, mut indices) = (device.buffer::<u32>(2)?, device.buffer::<u32>(2)?);
    /// let count = Select::changes().run_with_indices(&x, &mut y, &mut indices)?;
    /// assert_eq!((count.read()?, &y.read()?[..], &indices.read()?[..]), (2, &[7, 3][..], &[0, 2][..]));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run_with_indices<'x, 'y, 'z, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
        indices: impl Into<SliceMut<'z, u32>>,
    ) -> Result<DeviceCount, OperationError> {
        let (y, indices) = (Array::new::<T>(y.into()), Array::new::<u32>(indices.into()));
        self.write::<T>(Output::Both, Array::new::<T>(x.into()), ("y", y), Some(("indices", indices)))
    }

    /// Writes the selected elements to `kept` and all other elements to `rest`, and returns the number of elements in
    /// `kept`.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn partition<'x, 'y, 'z, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        kept: impl Into<SliceMut<'y, T>>,
        rest: impl Into<SliceMut<'z, T>>,
    ) -> Result<DeviceCount, OperationError> {
        let (kept, rest) = (Array::new::<T>(kept.into()), Array::new::<T>(rest.into()));
        self.write::<T>(Output::Partition, Array::new::<T>(x.into()), ("kept", kept), Some(("rest", rest)))
    }

    fn write<'a, T: ScanElement>(
        mut self,
        output: Output,
        x: Array<'a>,
        (name, y): (&'static str, Array<'a>),
        z: Option<(&'static str, Array<'a>)>,
    ) -> Result<DeviceCount, OperationError>
    where
        'r: 'a,
    {
        let flags = self.flags.map(Array::new::<u32>);
        let mut destination = std::mem::replace(&mut self.destination, Destination::Own);
        let call = call(&self.kept, output, element::<T>());
        // A slice outside its buffer counts as empty here; the next call of `length` returns an error for it.
        let length = operands::length(OPERATOR, "x", &x).unwrap_or(0);
        call.shape(length as u64)?;
        let mut lengths = [operands::length(OPERATOR, "x", &x)?, operands::length(OPERATOR, name, &y)?, 0];
        let mut arrays = vec![("x", &x)];
        if let Some(flags) = &flags {
            operands::expect(OPERATOR, "flags", flags, &lengths[..1])?;
            arrays.push(("flags", flags));
        }
        arrays.push((name, &y));
        if let Some((name, z)) = &z {
            lengths[2] = operands::length(OPERATOR, name, z)?;
            arrays.push((name, z));
        }
        let written = 1 + usize::from(z.is_some());
        operands::check(OPERATOR, &y.bound.core.device, &arrays, written, &destination)?;
        let operands = Operands { x, flags, y, z: z.map(|(_, z)| z) };
        call.run(&operands, lengths, self.form.map(Into::into), &mut destination)
    }
}

fn call(kept: &Kept, output: Output, element: ElementType) -> Call<'_> {
    Call { operator: OPERATOR, kept, output, element, chain: Chain::USUAL }
}

const OPERATOR: Operator = Operator("selection");
