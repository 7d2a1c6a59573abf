//! QR factors of small dense matrices.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::sparse::SparseElement;
use super::run::copy;
use super::sizes::{group, limited};
use crate::buffer::cells::whole_cells_mut;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

crate::kernels!(mod singles = "shaders/ops/dense_qr.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/dense_qr.wgsl", root = "shaders", feature wide = true);

/// Defines a method that appends the commands, for a module and its type of numbers.
macro_rules! launch {
    ($name:ident, $module:ident, $number:ty) => {
        fn $name(
            mut self,
            a: &Slice<'_, u8>,
            q: &SliceMut<'_, u8>,
            r: &SliceMut<'_, u8>,
        ) -> Result<(), OperationError> {
            let device = &Device::of(&q.core.device);
            let [rows, columns] = self.shape;
            let group = group(rows, target(device));
            let kernel = $module::factor_with(device, $module::Overrides { group })?;
            let memory = operands::memory(OPERATOR);
            let scratch = |length: usize| device.scratch::<$number>(length, &self.destination).map_err(&memory);
            let (mut work, mut factors) = (scratch(self.batches * rows * columns)?, scratch(self.batches * columns)?);
            copy(OPERATOR, a, &operands::bytes_mut(OPERATOR, "a", &work.slice_mut(..))?, self.destination.reborrow())?;
            let (q, first_of_q) = whole_cells_mut::<$number>(q).map_err(OPERATOR.slice("q"))?;
            let (r, first_of_r) = whole_cells_mut::<$number>(r).map_err(OPERATOR.slice("r"))?;
            let sizes = $module::Sizes { rows: rows as u32, columns: columns as u32, first_of_q, first_of_r };
            let args = $module::Args { sizes, a: &mut work, factors: &mut factors, q, r };
            kernel.launch(args).to(self.destination.reborrow()).groups([self.batches as u32, 1])?;
            Ok(())
        }
    };
}

/// Factors a matrix of shape `[rows, columns]` as `a = q * r`, with orthogonal columns of `q` and an upper triangle `r`.
/// See [`Qr`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let a = device.buffer_from(&[3.0f32, 1.0, 4.0, 2.0])?;
/// let (mut q, mut r) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
/// anywarp::ops::qr(&a, &mut q, &mut r, [2, 2])?;
/// let r = r.read()?;
/// assert!((r[0].abs() - 5.0).abs() < 1e-5 && r[2] == 0.0);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Qr::run`].
pub fn qr<'a, 'q, 'r, T: SparseElement>(
    a: impl Into<Slice<'a, T>>,
    q: impl Into<SliceMut<'q, T>>,
    r: impl Into<SliceMut<'r, T>>,
    shape: [usize; 2],
) -> Result<(), OperationError> {
    Qr::new(shape).run(a, q, r)
}

/// [`qr`] with batches, a stream or a recording.
///
/// The method is that of Householder, as in LAPACK's `geqrf` and `orgqr`: elements of the diagonal of `r` may be negative.
/// A workgroup has one matrix, so matrices should be small (up to some hundred rows) and batches large. `f32` and, on
/// devices that have it, `f64`. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Qr;
///
/// let device = anywarp::Device::open("cpu")?;
/// // Two matrices of three rows and one column.
/// let a = device.buffer_from(&[1.0f32, 2.0, 2.0, 0.0, -3.0, 4.0])?;
/// let (mut q, mut r) = (device.buffer::<f32>(6)?, device.buffer::<f32>(2)?);
/// Qr::new([3, 1]).batches(2).run(&a, &mut q, &mut r)?;
/// let r = r.read()?;
/// assert!((r[0].abs() - 3.0).abs() < 1e-5 && (r[1].abs() - 5.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a factorisation does nothing until `run` is called"]
pub struct Qr<'r> {
    shape: [usize; 2],
    batches: usize,
    destination: Destination<'r>,
}

impl<'r> Qr<'r> {
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
            return Err(OPERATOR.choice("a matrix of shape", "use at least as many rows as columns", got));
        }
        operands::counted::<T>(OPERATOR, "a", &[self.batches, rows, columns])?;
        let [m, n] = self.shape.map(|size| size as u64);
        // The reflections of all columns, and those of the columns of q.
        let steps = m.saturating_mul(n.saturating_mul(n + 8)).saturating_mul(3);
        limited(OPERATOR, rows, steps, target(device))
    }

    /// The cost of a call, to compare its time with the limits of a device.
    ///
    /// # Errors
    /// As [`run`](Self::run), for sizes.
    pub fn cost<T: SparseElement>(&self, device: &Device) -> Result<Cost, OperationError> {
        self.check::<T>(device)?;
        let [matrices, m, n] = [self.batches, self.shape[0], self.shape[1]].map(|size| size as u64);
        let size = size_of::<T>() as u64;
        let (elements, scratch) = (matrices * (2 * m * n + n * n), matrices * (m * n + n) * size);
        Ok(Cost { passes: 2, scratch, flops: 4 * matrices * m * n * n, bytes: elements * size })
    }

    /// Factors `a` of shape `[batches, rows, columns]` into `q` of the same shape and `r` of shape
    /// `[batches, columns, columns]`, row by row: buffers or slices, in different buffers.
    ///
    /// # Errors
    /// [`OperationError`] for fewer rows than columns, arrays of other lengths, a slice out of range, arrays of two
    /// devices, an existing guard, 2^31 - 2^16 elements or more, matrices whose loops the device would end (above 100 rows
    /// or so in llvmpipe), `f64` on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'a, 'q, 'o, T: SparseElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        q: impl Into<SliceMut<'q, T>>,
        r: impl Into<SliceMut<'o, T>>,
    ) -> Result<(), OperationError> {
        let (a, q, r) = (a.into(), q.into(), r.into());
        self.check::<T>(&Device::of(&q.core.device))?;
        let [rows, columns] = self.shape;
        operands::expect(OPERATOR, "a", (a.len(), &[self.batches, rows, columns]))?;
        operands::expect(OPERATOR, "q", (q.len(), &[self.batches, rows, columns]))?;
        operands::expect(OPERATOR, "r", (r.len(), &[self.batches, columns, columns]))?;
        let (a, q, r) = (
            operands::bytes(OPERATOR, "a", &a)?,
            operands::bytes_mut(OPERATOR, "q", &q)?,
            operands::bytes_mut(OPERATOR, "r", &r)?,
        );
        let arrays = [("a", a), ("q", q.as_slice()), ("r", r.as_slice())];
        operands::check(OPERATOR, &q.core.device, &arrays, 2, &self.destination)?;
        if a.is_empty() {
            return Ok(());
        }
        if T::WIDE { self.launch_wide(&a, &q, &r) } else { self.launch(&a, &q, &r) }
    }

    launch!(launch, singles, f32);
    launch!(launch_wide, doubles, f64);
}

const OPERATOR: Operator = Operator("qr");
