//! Eigenvalues and eigenvectors of small symmetric matrices.

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

crate::kernels!(mod singles = "shaders/ops/dense_eigen.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/dense_eigen.wgsl", root = "shaders", feature wide = true);

/// The arrays of a call, as bytes.
struct Outputs<'a> {
    values: SliceMut<'a, u8>,
    vectors: SliceMut<'a, u8>,
    failed: SliceMut<'a, u8>,
}

/// Defines a method that appends the commands, for a module and its type of numbers.
macro_rules! launch {
    ($name:ident, $module:ident, $number:ty) => {
        fn $name(mut self, a: &Slice<'_, u8>, outputs: &Outputs<'_>) -> Result<(), OperationError> {
            let device = &Device::of(&outputs.values.core.device);
            let (rows, length) = (self.rows, self.batches * self.rows * self.rows);
            let group = group(rows, target(device));
            let sweep = $module::sweep_with(device, $module::Overrides { group })?;
            let finish = $module::finish_with(device, $module::Overrides { group })?;
            let memory = operands::memory(OPERATOR);
            let scratch = |length: usize| device.scratch::<$number>(length, &self.destination).map_err(&memory);
            let (mut work, mut turned) = (scratch(length)?, scratch(length)?);
            let mut done = device.scratch::<u32>(self.batches, &self.destination).map_err(&memory)?;
            copy(OPERATOR, a, &operands::bytes_mut(OPERATOR, "a", &work.slice_mut(..))?, self.destination.reborrow())?;
            let (values, first_of_values) =
                whole_cells_mut::<$number>(&outputs.values).map_err(OPERATOR.slice("values"))?;
            let (vectors, first_of_vectors) =
                whole_cells_mut::<$number>(&outputs.vectors).map_err(OPERATOR.slice("vectors"))?;
            // Rounding leaves about one epsilon in each element.
            let share = (rows as f64 * epsilon(size_of::<$number>())).powi(2) as f32;
            let sizes = |is_first: bool| $module::Sizes {
                rows: rows as u32,
                share,
                is_first: is_first.into(),
                first_of_values,
                first_of_vectors,
            };
            for turn in 0..SWEEPS {
                let args =
                    $module::SweepArgs { sizes: sizes(turn == 0), a: &mut work, v: &mut turned, done: &mut done };
                sweep.launch(args).to(self.destination.reborrow()).groups([self.batches as u32, 1])?;
            }
            let (failed, _) = whole_cells_mut::<u32>(&outputs.failed).map_err(OPERATOR.slice("the status"))?;
            let (sizes, a, v, done) = (sizes(false), &work, &turned, &done);
            let args = $module::FinishArgs { sizes, a, v, done, values, vectors, failed };
            finish.launch(args).to(self.destination.reborrow()).groups([self.batches as u32, 1])?;
            Ok(())
        }
    };
}

/// Computes the eigenvalues and the eigenvectors of a symmetric matrix of shape `[rows, rows]`, and waits for them:
/// `values` in ascending order, and `vectors` with a column of length 1 for each. See [`Eigh`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[2.0f32, 1.0, 1.0, 2.0])?;
/// let (mut values, mut vectors) = (device.buffer::<f32>(2)?, device.buffer::<f32>(4)?);
/// anywarp::ops::eigh(&a, &mut values, &mut vectors, 2)?;
/// let values = values.read()?;
/// assert!((values[0] - 1.0).abs() < 1e-5 && (values[1] - 3.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Eigh::run`], and [`SolveError::Sweeps`] for a matrix whose elements are not finite.
pub fn eigh<'a, 'l, 'v, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    values: impl Into<SliceMut<'l, T>>,
    vectors: impl Into<SliceMut<'v, T>>,
    rows: usize,
) -> Result<(), SolveError> {
    let values = values.into();
    let mut status = FactorStatus::new(&Device::of(&values.core.device), 1)?;
    Eigh::new(rows).run(a, values, vectors, &mut status)?;
    status.check()
}

/// [`eigh`] with batches, a stream or a recording.
///
/// The method is that of Jacobi, with rotations of many pairs of rows at the same time. Small eigenvalues are as accurate
/// as the largest: to about `rows` times the epsilon of the element type, relative to the largest. Both triangles of `a`
/// are read, and must be equal. A workgroup has one matrix, of at most 256 rows; batches should be large. `f32` and, on
/// devices that have it, `f64`. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Eigh, FactorStatus};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[5.0f32, 0.0, 0.0, -1.0, 0.0, 2.0, 2.0, 0.0])?; // two matrices
/// let (mut values, mut vectors) = (device.buffer::<f32>(4)?, device.buffer::<f32>(8)?);
/// let mut status = FactorStatus::new(&device, 2)?;
/// Eigh::new(2).batches(2).run(&a, &mut values, &mut vectors, &mut status)?;
/// status.check()?;
/// let values = values.read()?;
/// assert_eq!(values[..2], [-1.0, 5.0]);
/// assert!((values[2] + 2.0).abs() < 1e-5 && (values[3] - 2.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "eigenvalues are not computed until `run` is called"]
pub struct Eigh<'r> {
    rows: usize,
    batches: usize,
    destination: Destination<'r>,
}

impl<'r> Eigh<'r> {
    /// One matrix of shape `[rows, rows]`.
    pub fn new(rows: usize) -> Self {
        Self { rows, batches: 1, destination: Destination::Own }
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
        operands::counted::<T>(OPERATOR, "a", &[self.batches, self.rows, self.rows])?;
        rotated(OPERATOR, "rows", self.rows)?;
        limited(OPERATOR, self.rows, (self.rows as u64).pow(2) * (self.rows as u64 + 8), target(device))
    }

    /// The cost of a call, to compare its time with the limits of a device: that of one sweep for the operations, as their
    /// number depends on the elements.
    ///
    /// # Errors
    /// As [`run`](Self::run), for sizes.
    pub fn cost<T: SparseElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        self.check::<T>(device)?;
        let ([matrices, n], size) = ([self.batches, self.rows].map(|size| size as u64), size_of::<T>() as u64);
        let scratch = matrices * (2 * n * n * size + 4);
        Ok(Cost {
            passes: SWEEPS + 2,
            scratch,
            flops: 9 * matrices * n.pow(3),
            bytes: matrices * (2 * n * n + n) * size,
        })
    }

    /// Computes the eigenvalues of `a` of shape `[batches, rows, rows]`, row by row. `values` has the shape
    /// `[batches, rows]`, `vectors` that of `a`: buffers or slices, in different buffers. `status` has a place for each
    /// matrix, and a failure for one whose elements are not finite.
    ///
    /// # Errors
    /// [`OperationError`] for more than 256 rows, arrays of other lengths, a slice out of range, arrays of two devices, an
    /// existing guard, 2^31 - 2^16 elements or more, matrices whose loops the device would end (above 200 rows or so in
    /// llvmpipe), `f64` on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'a, 'l, 'v, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        values: impl Into<SliceMut<'l, T>>,
        vectors: impl Into<SliceMut<'v, T>>,
        status: &mut FactorStatus<T>,
    ) -> Result<(), OperationError> {
        let (a, values, vectors) = (a.into(), values.into(), vectors.into());
        self.check::<T>(&Device::of(&values.core.device))?;
        operands::expect(OPERATOR, "a", (a.len(), &[self.batches, self.rows, self.rows]))?;
        operands::expect(OPERATOR, "values", (values.len(), &[self.batches, self.rows]))?;
        operands::expect(OPERATOR, "vectors", (vectors.len(), &[self.batches, self.rows, self.rows]))?;
        status.expect(OPERATOR, self.batches)?;
        let a = operands::bytes(OPERATOR, "a", &a)?;
        let outputs = Outputs {
            values: operands::bytes_mut(OPERATOR, "values", &values)?,
            vectors: operands::bytes_mut(OPERATOR, "vectors", &vectors)?,
            failed: operands::bytes_mut(OPERATOR, "the status", &status.failed.slice_mut(..))?,
        };
        let arrays = [
            ("a", a),
            ("values", outputs.values.as_slice()),
            ("vectors", outputs.vectors.as_slice()),
            ("the status", outputs.failed.as_slice()),
        ];
        operands::check(OPERATOR, &outputs.values.core.device, &arrays, 3, &self.destination)?;
        if a.is_empty() {
            return Ok(());
        }
        if T::WIDE { self.launch_wide(&a, &outputs) } else { self.launch(&a, &outputs) }
    }

    launch!(launch, singles, f32);
    launch!(launch_wide, doubles, f64);
}

const OPERATOR: Operator = Operator("eigh");
