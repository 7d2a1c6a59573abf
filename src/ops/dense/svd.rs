//! Singular values of small dense matrices.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::solving::error::SolveError;
use super::super::sparse::SparseElement;
use super::run::copy;
use super::sizes::{SWEEPS, epsilon, group, limited, rotated};
use super::status::FactorStatus;
use crate::buffer::cells::whole_cells_mut;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

crate::kernels!(mod singles = "shaders/ops/dense_svd.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/dense_svd.wgsl", root = "shaders", feature wide = true);

/// The arrays of a call, as bytes.
struct Outputs<'a> {
    u: SliceMut<'a, u8>,
    values: SliceMut<'a, u8>,
    v: SliceMut<'a, u8>,
    failed: SliceMut<'a, u8>,
}

/// Defines a method that appends the commands, for a module and its type of numbers.
macro_rules! launch {
    ($name:ident, $module:ident, $number:ty) => {
        fn $name(mut self, a: &Slice<'_, u8>, outputs: &Outputs<'_>) -> Result<(), OperationError> {
            let device = &Device::of(&outputs.values.core.device);
            let ([rows, columns], groups) = (self.shape, [self.batches as u32, 1]);
            let overrides = $module::Overrides { group: group(rows, target(device)) };
            let (sweep, measure) = ($module::sweep_with(device, overrides)?, $module::measure_with(device, overrides)?);
            let arrange = $module::arrange_with(device, overrides)?;
            let sort_values = $module::sort_values_with(device, overrides)?;
            let memory = operands::memory(OPERATOR);
            let scratch = |length: usize| device.scratch::<$number>(length, &self.destination).map_err(&memory);
            let mut a_work = scratch(self.batches * rows * columns)?;
            let mut turns = scratch(self.batches * columns * columns)?;
            let mut done = device.scratch::<u32>(self.batches, &self.destination).map_err(&memory)?;
            copy(
                OPERATOR,
                a,
                &operands::bytes_mut(OPERATOR, "a", &a_work.slice_mut(..))?,
                self.destination.reborrow(),
            )?;
            let first_of = |array: &SliceMut<'_, u8>, name: &'static str| -> Result<u32, OperationError> {
                Ok(whole_cells_mut::<$number>(array).map_err(OPERATOR.slice(name))?.1)
            };
            let (first_of_u, first_of_v) = (first_of(&outputs.u, "u")?, first_of(&outputs.v, "v")?);
            let first_of_values = first_of(&outputs.values, "values")?;
            // Rounding leaves about this cosine between columns that have been turned.
            let share = ((rows as f64).sqrt() * 2.0 * epsilon(size_of::<$number>())) as f32;
            let sizes = |is_first: bool| $module::Sizes {
                rows: rows as u32,
                columns: columns as u32,
                share,
                is_first: is_first.into(),
                first_of_u,
                first_of_values,
                first_of_v,
            };
            for turn in 0..SWEEPS {
                let (a, turns, done) = (&mut a_work, &mut turns, &mut done);
                let args = $module::SweepArgs { sizes: sizes(turn == 0), a, turns, done };
                sweep.launch(args).to(self.destination.reborrow()).groups(groups)?;
            }
            let values = || whole_cells_mut::<$number>(&outputs.values).map_err(OPERATOR.slice("values"));
            let (failed, _) = whole_cells_mut::<u32>(&outputs.failed).map_err(OPERATOR.slice("the status"))?;
            let (sizes, a, done) = (sizes(false), &a_work, &done);
            let args = $module::MeasureArgs { sizes, a, done, values: values()?.0, failed };
            measure.launch(args).to(self.destination.reborrow()).groups(groups)?;
            let (u, _) = whole_cells_mut::<$number>(&outputs.u).map_err(OPERATOR.slice("u"))?;
            let (v, _) = whole_cells_mut::<$number>(&outputs.v).map_err(OPERATOR.slice("v"))?;
            let (lengths, _) = values()?;
            let args = $module::ArrangeArgs { sizes, a, turns: &turns, u, values: &lengths, v };
            arrange.launch(args).to(self.destination.reborrow()).groups(groups)?;
            let args = $module::SortValuesArgs { sizes, values: values()?.0 };
            sort_values.launch(args).to(self.destination.reborrow()).groups(groups)?;
            Ok(())
        }
    };
}

/// Computes the singular values of a matrix of shape `[rows, columns]`, `a = u * diagonal(values) * transpose(v)`, and
/// waits for them: `values` in descending order. See [`Svd`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[0.0f32, 2.0, 3.0, 0.0, 0.0, 0.0])?;
/// let (mut u, mut values) = (device.buffer::<f32>(6)?, device.buffer::<f32>(2)?);
/// let mut v = device.buffer::<f32>(4)?;
/// anywarp::ops::svd(&a, &mut u, &mut values, &mut v, [3, 2])?;
/// assert_eq!(*values.read()?, [3.0, 2.0]);
/// assert_eq!(*v.read()?, [1.0, 0.0, 0.0, 1.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Svd::run`], and [`SolveError::Sweeps`] for a matrix whose elements are not finite.
pub fn svd<'a, 'u, 's, 'v, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    u: impl Into<SliceMut<'u, T>>,
    values: impl Into<SliceMut<'s, T>>,
    v: impl Into<SliceMut<'v, T>>,
    shape: [usize; 2],
) -> Result<(), SolveError> {
    let values = values.into();
    let mut status = FactorStatus::new(&Device::of(&values.core.device), 1)?;
    Svd::new(shape).run(a, u, values, v, &mut status)?;
    status.check()
}

/// [`svd`] with batches, a stream or a recording.
///
/// The method is that of Jacobi and Hestenes: columns are turned in pairs until all are at right angles; their lengths are
/// the singular values. Columns of `u` for singular values of 0 are 0. Squares of elements must not exceed the range of the
/// element type. A workgroup has one matrix, of at most 256 columns; batches should be large. `f32` and, on devices that
/// have it, `f64`. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{FactorStatus, Svd};
///
/// let device = anywarp::Device::open("cpu")?;
/// // Two matrices of two rows and one column.
/// let a = device.buffer_from(&[3.0f32, 4.0, 0.0, -2.0])?;
/// let (mut u, mut values) = (device.buffer::<f32>(4)?, device.buffer::<f32>(2)?);
/// let (mut v, mut status) = (device.buffer::<f32>(2)?, FactorStatus::new(&device, 2)?);
/// Svd::new([2, 1]).batches(2).run(&a, &mut u, &mut values, &mut v, &mut status)?;
/// status.check()?;
/// assert_eq!(*values.read()?, [5.0, 2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "singular values are not computed until `run` is called"]
pub struct Svd<'r> {
    shape: [usize; 2],
    batches: usize,
    destination: Destination<'r>,
}

impl<'r> Svd<'r> {
    /// One matrix of shape `[rows, columns]`, with at least as many rows as columns.
    pub fn new(shape: [usize; 2]) -> Self {
        Self { shape, batches: 1, destination: Destination::Own }
    }

    /// Appends the call to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Sets the number of matrices.
    pub fn batches(mut self, matrices: usize) -> Self {
        self.batches = matrices;
        self
    }

    fn check<T: SparseElement>(&self, device: &Device) -> Result<(), OperationError> {
        let [rows, columns] = self.shape;
        if columns > rows {
            let got = format!("[{rows}, {columns}]");
            return Err(OPERATOR.choice("a matrix of shape", "transpose it, and exchange u and v", got));
        }
        operands::counted::<T>(OPERATOR, "a", &[self.batches, rows, columns])?;
        rotated(OPERATOR, "columns", columns)?;
        let [m, n] = self.shape.map(|size| size as u64);
        // An invocation multiplies a pair of columns in each round.
        limited(
            OPERATOR,
            rows,
            m.saturating_mul(n * (n + 8)).max(m * n * u64::from(group(rows, target(device)))),
            target(device),
        )
    }

    /// The cost of a call, to compare its time with the limits of a device: that of one sweep for the operations, as their
    /// number depends on the elements.
    ///
    /// # Errors
    /// As [`run`](Self::run), for sizes.
    pub fn cost<T: SparseElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        self.check::<T>(device)?;
        let [matrices, m, n] = [self.batches, self.shape[0], self.shape[1]].map(|size| size as u64);
        let size = size_of::<T>() as u64;
        let (flops, elements) = (matrices * n * n * (6 * m + 3 * n), matrices * (2 * m * n + n * n + n));
        Ok(Cost { passes: SWEEPS + 4, scratch: matrices * (n * (m + n) * size + 4), flops, bytes: elements * size })
    }

    /// Computes the singular values of `a` of shape `[batches, rows, columns]`, row by row. `u` has the same shape,
    /// `values` has the shape `[batches, columns]`, and `v` the shape `[batches, columns, columns]`: buffers or slices, in
    /// different buffers. `status` has a place for each matrix, and a failure for one whose elements are not finite.
    ///
    /// # Errors
    /// [`OperationError`] for fewer rows than columns, more than 256 columns, arrays of other lengths, a slice out of
    /// range, arrays of two devices, an existing guard, 2^31 - 2^16 elements or more, matrices whose loops the device would
    /// end (above 200 rows or so in llvmpipe), `f64` on a device without it, or an error of the device. In that case nothing
    /// has run.
    pub fn run<'a, 'u, 's, 'v, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        u: impl Into<SliceMut<'u, T>>,
        values: impl Into<SliceMut<'s, T>>,
        v: impl Into<SliceMut<'v, T>>,
        status: &mut FactorStatus<T>,
    ) -> Result<(), OperationError> {
        let (a, u, values, v) = (a.into(), u.into(), values.into(), v.into());
        self.check::<T>(&Device::of(&values.core.device))?;
        let ([rows, columns], matrices) = (self.shape, self.batches);
        operands::expect(OPERATOR, "a", (a.len(), &[matrices, rows, columns]))?;
        operands::expect(OPERATOR, "u", (u.len(), &[matrices, rows, columns]))?;
        operands::expect(OPERATOR, "values", (values.len(), &[matrices, columns]))?;
        operands::expect(OPERATOR, "v", (v.len(), &[matrices, columns, columns]))?;
        status.expect(OPERATOR, matrices)?;
        let a = operands::bytes(OPERATOR, "a", &a)?;
        let outputs = Outputs {
            u: operands::bytes_mut(OPERATOR, "u", &u)?,
            values: operands::bytes_mut(OPERATOR, "values", &values)?,
            v: operands::bytes_mut(OPERATOR, "v", &v)?,
            failed: operands::bytes_mut(OPERATOR, "the status", &status.failed.slice_mut(..))?,
        };
        let arrays = [
            ("a", a),
            ("u", outputs.u.as_slice()),
            ("values", outputs.values.as_slice()),
            ("v", outputs.v.as_slice()),
            ("the status", outputs.failed.as_slice()),
        ];
        operands::check(OPERATOR, &outputs.values.core.device, &arrays, 4, &self.destination)?;
        if a.is_empty() {
            return Ok(());
        }
        if T::WIDE { self.launch_wide(&a, &outputs) } else { self.launch(&a, &outputs) }
    }

    launch!(launch, singles, f32);
    launch!(launch_wide, doubles, f64);
}

const OPERATOR: Operator = Operator("svd");
