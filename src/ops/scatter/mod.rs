//! Scatters: elements are written to the positions that indices select.

mod elements;
mod plan;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::error::OperationError;
use super::moving::indices::{Along, IndexElement, Outside};
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
pub use elements::ScatterElement;
use elements::{Kind, Operation};
use plan::{Choice, Combination, Pass, Shape};
use run::{Call, Operands};

/// Writes `y[indices[i]] = x[i]`. Where indices are equal, the last element is written; elements with an index outside
/// `y` are skipped. See [`Scatter`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1u8, 2, 3, 4])?;
/// let indices = device.buffer_from(&[2i32, -1, 2, 9])?;
/// let mut y = device.buffer_from(&[0u8; 5])?;
/// anywarp::ops::scatter(&x, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [0, 0, 3, 0, 2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Scatter::set`].
pub fn scatter<'x, 'i, 'y, T: Element, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let y = y.into();
    Scatter::new([y.len()], 0).set(x, indices, y)
}

/// Adds `y[indices[i]] += x[i]`, also where indices are equal; elements with an index outside `y` are skipped. See
/// [`Scatter::add`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 4.0])?;
/// let indices = device.buffer_from(&[1u32, 0, 1])?;
/// let mut y = device.buffer_from(&[10.0f32; 3])?;
/// anywarp::ops::scatter_add(&x, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [12.0, 15.0, 10.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Scatter::set`].
pub fn scatter_add<'x, 'i, 'y, T: ScatterElement, I: IndexElement>(
    x: impl Into<Slice<'x, T>>,
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    let y = y.into();
    Scatter::new([y.len()], 0).add(x, indices, y)
}

/// A scatter along an axis of `y`: [`scatter`] and [`scatter_add`] with other operations and other rules for indices
/// outside, on a stream, or into a recording.
///
/// `x` has the shape of `y`, except for the axis, whose size is the number of indices. With [`along`](Self::along),
/// there is one index for each element of `x`, as in NumPy's `put_along_axis`. Negative indices count from the end of
/// the axis, and elements with an index outside the axis are skipped, as in JAX.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::Scatter;
///
/// let rows = device.buffer_from(&[1i32, 2, 3, 4])?; // 2 rows of 2
/// let indices = device.buffer_from(&[2u32, 2])?;
/// let mut y = device.buffer_from(&[0i32; 6])?; // 3 rows of 2
/// Scatter::new([3, 2], 0).add(&rows, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [0, 0, 0, 0, 4, 6]);
/// Scatter::new([3, 2], 0).max(&rows, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [0, 0, 0, 0, 4, 6]);
/// Scatter::new([3, 2], 0).set(&rows, &indices, &mut y)?;
/// assert_eq!(*y.read()?, [0, 0, 0, 0, 3, 4]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a scatter does nothing until a method such as `set` is called"]
pub struct Scatter<'r> {
    shape: Vec<usize>,
    axis: usize,
    shared: bool,
    outside: Outside,
    unique: bool,
    ordered: bool,
    destination: Destination<'r>,
}

impl<'r> Scatter<'r> {
    /// A scatter into an array of shape `shape`, whose indices are positions along `axis`.
    pub fn new(shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        let (outside, destination) = (Outside::Nowhere, Destination::Own);
        Self { shape: shape.into(), axis, shared: true, outside, unique: false, ordered: false, destination }
    }

    /// Expects one index for each element of `x`, in place of one index for all elements at a position of the axis.
    pub fn along(mut self) -> Self {
        self.shared = false;
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

    /// States that all indices select different positions, so that [`set`](Self::set) need not find the last index of
    /// each position. If some positions are equal, any of their elements is written.
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Combines floats in the order of their indices, so that sums and products have the same bits at each call on a
    /// device: the elements of a position are combined with each other by a [`Scan`](super::Scan), and then with the
    /// element of `y`. To do so, the call sorts the elements by their positions, which takes several times as long, and
    /// needs memory for three copies of the elements.
    ///
    /// Integers, minima and maxima have the same bits even without this order. Ordered sums of `f16` and `bf16` are
    /// computed in `f32`, and rounded once when they are combined with the element of `y`. Sums and products of `f64`
    /// are always ordered.
    pub fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// Appends the scatter to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of [`set`](Self::set) with this many indices, to compare its time with the limits of a device.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Scatter::new([100], 0).cost::<f32, u32>(10)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 2 * 4 * 10 + 4 * 10));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Axis`], [`OperationError::Length`], [`OperationError::TooLarge`].
    pub fn cost<T: Element, I: IndexElement>(&self, indices: usize) -> Result<Cost, OperationError> {
        Ok(self.plan::<T, I>(Combination::Set { unique: self.unique }, indices, [0, 0])?.1.cost())
    }

    /// The cost of [`add`](Self::add) and of the other operations with this many indices, as in [`cost`](Self::cost).
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_add<T: ScatterElement, I: IndexElement>(&self, indices: usize) -> Result<Cost, OperationError> {
        Ok(self.plan::<T, I>(self.combination::<T>(Operation::Add), indices, [0, 0])?.1.cost())
    }

    fn combination<T: ScatterElement>(&self, operation: Operation) -> Combination {
        let ordered = self.ordered && operation.rounds(T::KIND);
        if ordered || !operation.is_atomic(T::KIND) { Combination::Ordered } else { Combination::Any }
    }

    fn plan<T: Element, I: IndexElement>(
        &self,
        combination: Combination,
        indices: usize,
        starts: [u64; 2],
    ) -> Result<(Along, Plan<Pass>), OperationError> {
        let along = Along::of::<T>(OPERATOR, "y", &self.shape, self.axis, (indices, self.shared))?;
        if along.size == 0 && along.selected() > 0 && self.outside != Outside::Nowhere {
            let expected = "it has no position to clip or wrap indices to; omit `clip` and `wrap`";
            return Err(OPERATOR.choice("an axis of", expected, "0 positions".to_owned()));
        }
        let (element, index) = (size_of::<T>() as u64, size_of::<I>() as u64);
        let shape = Shape { along, combination, element, index, starts };
        Ok((along, plan::plan(&shape, Choice::default_for(&shape))))
    }

    /// Writes the elements of `x`, of any type, to their positions in `y`; where positions are equal, the last element
    /// is written. Other elements of `y` are unchanged.
    ///
    /// Arrays are buffers or slices of any start; `y` must be in another buffer than `x` and `indices`, unless the
    /// device has [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for an axis out of range, lengths that do not match the shapes, slices out of range, arrays
    /// of two devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn set<'x, 'i, 'y, T: Element, I: IndexElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let combination = Combination::Set { unique: self.unique };
        self.call(combination, None, x.into(), indices.into(), y.into())
    }

    /// Adds the elements of `x` to the elements of `y` at their indices. Sums of integers wrap around. The order of
    /// additions is not defined, so that sums of floats may have other bits in another call, unless they are
    /// [`ordered`](Self::ordered); sums of `f64` are always ordered. Each sum of `f16` or `bf16` is rounded to its
    /// type.
    ///
    /// # Errors
    /// As [`set`](Self::set), and for `f64` on a device that lacks this type.
    pub fn add<'x, 'i, 'y, T: ScatterElement, I: IndexElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        self.combine(Operation::Add, x.into(), indices.into(), y.into())
    }

    /// Multiplies each element of `y` by all elements of `x` whose index refers to it, as in [`add`](Self::add).
    /// Products, minima and maxima of 64-bit elements are computed in the order of the indices, with the memory and the
    /// time of [`ordered`](Self::ordered).
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn multiply<'x, 'i, 'y, T: ScatterElement, I: IndexElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        self.combine(Operation::Multiply, x.into(), indices.into(), y.into())
    }

    /// Replaces each element of `y` by the least of itself and all elements of `x` whose index refers to it. If one of them
    /// is NaN, the result is NaN; -0 is below 0.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn min<'x, 'i, 'y, T: ScatterElement, I: IndexElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        self.combine(Operation::Min, x.into(), indices.into(), y.into())
    }

    /// Replaces each element of `y` by the greatest of itself and all elements of `x` whose index refers to it. If one of
    /// them is NaN, the result is NaN; -0 is below 0.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn max<'x, 'i, 'y, T: ScatterElement, I: IndexElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        self.combine(Operation::Max, x.into(), indices.into(), y.into())
    }

    fn combine<T: ScatterElement, I: IndexElement>(
        self,
        operation: Operation,
        x: Slice<'_, T>,
        indices: Slice<'_, I>,
        y: SliceMut<'_, T>,
    ) -> Result<(), OperationError> {
        let combination = self.combination::<T>(operation);
        self.call(combination, Some((operation, T::KIND)), x, indices, y)
    }

    fn call<T: Element, I: IndexElement>(
        mut self,
        combination: Combination,
        operation: Option<(Operation, Kind)>,
        x: Slice<'_, T>,
        indices: Slice<'_, I>,
        y: SliceMut<'_, T>,
    ) -> Result<(), OperationError> {
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            indices: operands::bytes(OPERATOR, "indices", &indices)?,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        let starts = [operands::start(&operands.x), operands::start_mut(&operands.y)];
        let (along, plan) = self.plan::<T, I>(combination, indices.len(), starts)?;
        operands::expect(OPERATOR, "x", (x.len(), &along.shape(&self.shape, self.axis)))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        operands.check(&self.destination)?;
        let call = Call {
            along,
            index: (size_of::<I>() as u64, I::SIGNED),
            outside: self.outside,
            unique: self.unique,
            element: size_of::<T>() as u64,
            operation,
        };
        operands.run(&call, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("scatter");
