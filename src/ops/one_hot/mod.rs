//! Rows for indices: each has one value at the position of its index, and another value elsewhere.

mod run;

use super::error::OperationError;
use super::moving::indices::{Along, IndexElement};
use super::moving::launch::MAX_PERIOD;
use super::moving::operands;
use super::operator::Operator;
use super::plan::{Cost, Plan};
use crate::buffer::{Slice, SliceMut};
use crate::element::Element;
use crate::submit::{Destination, Recording, Stream};
use run::{Operands, Pass};

/// Writes a row of `classes` elements for each index: `on` at the position of the index, `off` at all other positions.
/// Negative indices count from the end; a row of an index out of range is all `off`. See [`OneHot`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let indices = device.buffer_from(&[2u32, 0, 3])?;
/// let mut y = device.buffer::<f32>(9)?;
/// anywarp::ops::one_hot(&indices, &mut y, 3, [0.0, 1.0])?;
/// assert_eq!(*y.read()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`OneHot::run`].
pub fn one_hot<'i, 'y, T: Element, I: IndexElement>(
    indices: impl Into<Slice<'i, I>>,
    y: impl Into<SliceMut<'y, T>>,
    classes: usize,
    [off, on]: [T; 2],
) -> Result<(), OperationError> {
    OneHot::new(classes, [off, on]).run(indices, y)
}

/// [`one_hot`] on a stream, or into a recording. Elements are of any type.
#[must_use = "rows are written when `run` is called"]
pub struct OneHot<'r, T> {
    classes: usize,
    values: [T; 2],
    destination: Destination<'r>,
}

impl<'r, T: Element> OneHot<'r, T> {
    /// A call that writes rows of `classes` elements, each `off` or `on`.
    pub fn new(classes: usize, [off, on]: [T; 2]) -> Self {
        Self { classes, values: [off, on], destination: Destination::Own }
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call with this many indices of type `I`, to compare its time with the limits of a device.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::OneHot::new(10, [0.0f32, 1.0]).cost::<u32>(100)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 4 * 1000 + 4 * 100));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`].
    pub fn cost<I: IndexElement>(&self, indices: usize) -> Result<Cost, OperationError> {
        Ok(self.plan::<I>(indices, 0)?.cost())
    }

    fn plan<I: IndexElement>(&self, indices: usize, start: u64) -> Result<Plan<Pass>, OperationError> {
        operands::counted::<T>(OPERATOR, "y", &[indices, self.classes])?;
        let element = size_of::<T>() as u64;
        // `single` describes one element alone, so that a cell never has parts of two elements.
        let single = Along { outer: 1, size: 1, inner: 1, lines: 1, shared: false };
        let cell = single.cell(element, &[start], 16);
        let elements = (indices * self.classes) as u64;
        if elements == 0 {
            return Ok(Plan::nothing());
        }
        if element / cell > MAX_PERIOD as u64 {
            let expected = format!("use elements of at most {MAX_PERIOD} times {cell} bytes");
            return Err(OPERATOR.choice("elements of", expected, format!("{element} bytes")));
        }
        let bytes = elements * element + (indices * size_of::<I>()) as u64;
        Ok(Plan { passes: vec![Pass { cell, count: elements * element / cell }], scratch: 0, flops: 0, bytes })
    }

    /// Writes a row of `y` for each index. `y` must be in another buffer than the indices, unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for a `y` that has not `classes` elements for each index, slices out of range, arrays of two
    /// devices, an existing guard, or an error of the device. In that case nothing has run.
    pub fn run<'i, 'y, I: IndexElement>(
        mut self,
        indices: impl Into<Slice<'i, I>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (indices, y) = (indices.into(), y.into());
        let operands = Operands {
            indices: operands::bytes(OPERATOR, "indices", &indices)?,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        let plan = self.plan::<I>(indices.len(), operands::start_mut(&operands.y))?;
        operands::expect(OPERATOR, "y", (y.len(), &[indices.len(), self.classes]))?;
        operands.check(&self.destination)?;
        let values = self.values.each_ref().map(bytemuck::bytes_of);
        let index = (size_of::<I>() as u64, I::SIGNED);
        operands.run(values, self.classes, index, &plan, &mut self.destination)
    }
}

const OPERATOR: Operator = Operator("one-hot");
