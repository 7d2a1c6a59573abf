//! Selections of elements at the positions that indices select.

mod plan;
#[cfg(test)]
pub(super) mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::marker::PhantomData;

use anywarp_backend::ScalarKind;

use super::error::OperationError;
pub use super::moving::indices::IndexElement;
use super::moving::indices::{Along, Outside};
use super::moving::launch::MAX_PERIOD;
use super::moving::layout::period;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Pass, Shape};
use run::Operands;

/// Writes `y[i] = x[indices[i]]`, as NumPy's `take(x, indices)`, with JAX's rule for indices outside `x`. See [`Take`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[10.0f32, 20.0, 30.0])?;
/// let indices = device.buffer_from(&[2i32, 0, -1, 7])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::gather(&x, &indices, &mut y)?;
/// let y = y.read()?;
/// assert_eq!(y[..3], [30.0, 10.0, 30.0]);
/// assert!(y[3].is_nan()); // outside
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Take::run`].
pub fn gather<'x, 'i, 'y, T: Element, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let x = x.into();
    Take::new([x.len()], 0).run(x, indices, y)
}

/// Writes to `y` the elements of `x`, of shape `shape`, at the positions `indices` of an axis, as NumPy's `take(x,
/// indices, axis)`. `y` has the same shape, except that the size of the axis is the number of indices.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1u32, 2, 3, 4, 5, 6])?; // 2 rows of 3
/// let columns = device.buffer_from(&[2u32, 0])?;
/// let mut y = device.buffer::<u32>(4)?;
/// anywarp::ops::take(&x, &columns, &mut y, [2, 3], 1)?;
/// assert_eq!(*y.read()?, [3, 1, 6, 4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Take::run`].
pub fn take<'x, 'i, 'y, T: Element, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Take::new(shape, axis).run(x, indices, y)
}

/// Writes to each element of `y` the element of `x`, of shape `shape`, at the position of an axis that its index
/// selects, as NumPy's `take_along_axis`. `indices` has the shape of `y`, which is the shape of `x` except for the
/// axis.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1u32, 2, 3, 4, 5, 6])?; // 2 rows of 3
/// let indices = device.buffer_from(&[2i64, 0, 1, -2])?; // 2 rows of 2
/// let mut y = device.buffer::<u32>(4)?;
/// anywarp::ops::take_along_axis(&x, &indices, &mut y, [2, 3], 1)?;
/// assert_eq!(*y.read()?, [3, 1, 5, 5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Take::run`].
pub fn take_along_axis<'x, 'i, 'y, T: Element, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
    shape: impl Into<Vec<usize>>,
    axis: usize,
) -> Result<(), OperationError> {
    Take::along(shape, axis).run(x, indices, y)
}

/// The value of an element of `y` whose index is outside the axis.
#[derive(Clone, Copy, Debug)]
enum Rest<T> {
    Default,
    Value(T),
    Kept,
}

/// A selection of elements of any type by indices: [`gather`], [`take`] and [`take_along_axis`] with other rules for
/// indices outside the axis, on a stream, or into a recording.
///
/// Negative indices count from the end of the axis. An index is outside an axis of `n` positions if it is below `-n`,
/// or at least `n`. The element for such an index is a fill value: NaN for floats, the least value for signed integers,
/// the greatest value for unsigned integers, and zeros for other elements, as in JAX.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Take;
///
/// let x = device.buffer_from(&[10u32, 20, 30])?;
/// let indices = device.buffer_from(&[4i32, -1, -5])?;
/// let mut y = device.buffer::<u32>(3)?;
/// Take::new([3], 0).fill(0).run(&x, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [0, 30, 0]);
/// Take::new([3], 0).clip().run(&x, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [30, 10, 10]);
/// Take::new([3], 0).wrap().run(&x, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [20, 30, 20]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// An embedding is a selection of rows; its derivative adds rows, in the order of the indices if the bits are to be the
/// same at each call:
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::{Scatter, Take};
///
/// let table = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?; // three words of two numbers
/// let words = device.buffer_from(&[2u32, 0, 2])?;
/// let mut y = device.buffer::<f32>(6)?;
/// Take::new([3, 2], 0).run(&table, &words, &mut y)?;
/// assert_eq!(*y.read()?, [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
/// let mut by_table = device.buffer_from(&[0.0f32; 6])?;
/// Scatter::new([3, 2], 0).ordered().add(&y, &words, &mut by_table)?; // `y` for the derivatives by itself
/// assert_eq!(*by_table.read()?, [1.0, 2.0, 0.0, 0.0, 10.0, 12.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a selection does nothing until `run` is called"]
pub struct Take<'r, T> {
    shape: Vec<usize>,
    axis: usize,
    shared: bool,
    outside: Outside,
    rest: Rest<T>,
    destination: Destination<'r>,
    _element: PhantomData<T>,
}

impl<'r, T: Element> Take<'r, T> {
    /// A selection from an array of shape `shape`, with one index for all elements at a position of the axis; see
    /// [`take`].
    pub fn new(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        let (outside, rest, destination) = (Outside::Nowhere, Rest::Default, Destination::Own);
        Self { shape: shape.into(), axis, shared: true, outside, rest, destination, _element: PhantomData }
    }

    /// A selection from an array of shape `shape`, with one index for each selected element; see [`take_along_axis`].
    pub fn along(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        Self { shared: false, ..Self::new(shape, axis) }
    }

    /// Sets the element that is written for indices outside the axis.
    pub fn fill(mut self, value: T) -> Self {
        (self.outside, self.rest) = (Outside::Nowhere, Rest::Value(value));
        self
    }

    /// Leaves an element of `y` unchanged if its index is outside the axis.
    pub fn keep(mut self) -> Self {
        (self.outside, self.rest) = (Outside::Nowhere, Rest::Kept);
        self
    }

    /// Replaces each index outside the axis by the nearest position: all negative indices by the first position.
    pub fn clip(mut self) -> Self {
        self.outside = Outside::Clip;
        self
    }

    /// Replaces each index outside the axis by its remainder modulo the size of the axis, which is never negative.
    pub fn wrap(mut self) -> Self {
        self.outside = Outside::Wrap;
        self
    }

    /// Appends the selection to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call with this many indices of type `I`, to compare its time with the limits of a device. Each
    /// selected element counts as read once for each index, also if several indices are equal.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Take::<f32>::new([100, 8], 0).cost::<u32>(10)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 2 * 4 * 80 + 4 * 10));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Length`], [`OperationError::TooLarge`].
    pub fn cost<I: IndexElement>(&self, indices: usize) -> Result<Cost, OperationError> {
        Ok(self.plan::<I>(indices, [0, 0])?.1.cost())
    }

    fn plan<I: IndexElement>(&self, indices: usize, starts: [u64; 2]) -> Result<(Along, Plan<Pass>), OperationError> {
        let along = Along::of::<T>(OPERATOR, "x", &self.shape, self.axis, (indices, self.shared))?;
        if along.size == 0 && along.selected() > 0 && self.outside != Outside::Nowhere {
            let expected = "it has no position to clip or wrap indices to; use a fill value";
            return Err(OPERATOR.choice("an axis of", expected, "0 positions".to_owned()));
        }
        let (element, index) = (size_of::<T>() as u64, size_of::<I>() as u64);
        let cell = 1 << element.trailing_zeros().min(2);
        if period(&self.fill_bytes(), cell) > MAX_PERIOD as u64 {
            let expected = format!("use elements of at most {} bytes", MAX_PERIOD as u64 * cell);
            return Err(OPERATOR.choice("a fill value of", expected, format!("{element} bytes")));
        }
        let shape = Shape { along, element, index, starts };
        Ok((along, plan::plan(&shape, Choice::default_for(&shape))))
    }

    /// Selects elements of `x` into `y`. Arrays are buffers or slices of any start; `y` must be in another buffer than
    /// `x` and `indices`, unless the device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an axis out of range, lengths that do not match the shapes, slices out of range, arrays
    /// of two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'x, 'i, 'y, I: IndexElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, indices, y) = (x.into(), indices.into(), y.into());
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            indices: operands::bytes(OPERATOR, "indices", &indices)?,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        let starts = [operands::start(&operands.x), operands::start_mut(&operands.y)];
        let (along, plan) = self.plan::<I>(indices.len(), starts)?;
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &along.shape(&self.shape, self.axis)))?;
        operands.check(&self.destination)?;
        let call = run::Call {
            along,
            index: (size_of::<I>() as u64, I::SIGNED),
            outside: self.outside,
            keep: self.keeps() && self.outside == Outside::Nowhere,
            element: size_of::<T>() as u64,
            fill: self.fill_bytes(),
        };
        operands.run(&call, &plan, &mut self.destination)
    }

    fn keeps(&self) -> bool {
        matches!(self.rest, Rest::Kept)
    }

    fn fill_bytes(&self) -> Vec<u8> {
        match &self.rest {
            Rest::Value(value) => bytemuck::bytes_of(value).to_vec(),
            _ => default_fill::<T>(),
        }
    }
}

/// Returns the element that JAX writes for an index outside the axis.
fn default_fill<T: Element>() -> Vec<u8> {
    let mut bytes = vec![0; size_of::<T>()];
    match T::SCALAR.map(|scalar| scalar.kind) {
        // These bits are also a NaN of `bf16`, whose scalar type here is the unsigned integer of its bits.
        Some(ScalarKind::Float | ScalarKind::Unsigned) => bytes.fill(0xff),
        Some(ScalarKind::Signed) => bytes.last_mut().map_or((), |last| *last = 0x80),
        _ => {}
    }
    bytes
}

const OPERATOR: Operator = Operator("take");
