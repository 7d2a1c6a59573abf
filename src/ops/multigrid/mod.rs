//! Multigrid cycles for the Poisson equation on grids.

mod levels;
mod run;

use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::solving::Preconditioner;
use super::sparse::SparseElement;
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::submit::{Destination, Recording, Stream};
use levels::Level;
use run::{Cycle, Operands};

/// V-cycles for the Poisson equation on a grid of one to three axes, with unit distances and zeros around the grid: the
/// equations of [`SparseMatrix::poisson`](super::SparseMatrix::poisson).
///
/// A cycle takes time in proportion to the number of points. It divides the residual by about four on two axes and by about
/// three on three axes, whatever the size of the grid; on one axis by more. It is a solver by repetition
/// ([`run`](Self::run)), and a [`Preconditioner`] that is symmetric and positive definite: with it,
/// [`ConjugateGradients`](super::ConjugateGradients) takes about ten iterations.
///
/// Each level has every second point of the finer one (Trottenberg, Oosterlee and Schüller, 'Multigrid', 2001). Sweeps
/// are those of Gauss and Seidel in two colours; corrections are interpolated linearly, and residuals are added up by
/// the transpose. Axes of any length are possible: a last point that is not halfway between its neighbours has a matrix
/// of its own distance. Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{ConjugateGradients, Multigrid, SparseMatrix};
///
/// let device = anywarp::Device::open("cpu")?;
/// let a = SparseMatrix::<f32>::poisson(&device, &[40, 50])?;
/// let (b, mut x) = (device.buffer_from(&[1.0f32; 2000])?, device.buffer::<f32>(2000)?);
/// let solver = ConjugateGradients::new().tolerance(1e-4);
/// let solution = solver.run_with(&a, &Multigrid::new(&[40, 50])?, &b, &mut x)?;
/// assert!(solution.iterations < 12);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "cycles do nothing until `run` is called"]
#[derive(Clone)]
pub struct Multigrid {
    grid: Vec<usize>,
    levels: Vec<Level>,
    sweeps: usize,
    from_x: bool,
    cycles: usize,
    stream: Option<Stream>,
}

impl Multigrid {
    /// Cycles for a grid, whose points are numbered row by row: those of the last axis are consecutive.
    ///
    /// # Errors
    /// [`OperationError`] for no axis or more than three, and for 2^31 - 2^16 points or more.
    pub fn new(grid: &[usize]) -> Result<Self, OperationError> {
        if !(1..=3).contains(&grid.len()) {
            return Err(OPERATOR.choice("a grid of", "use one to three axes", format!("{} axes", grid.len())));
        }
        operands::counted::<f32>(OPERATOR, "the grid", grid)?;
        let levels = levels::levels(grid);
        Ok(Self { grid: grid.to_vec(), levels, sweeps: 1, from_x: false, cycles: 1, stream: None })
    }

    /// Sets the number of sweeps of each level on the way down, and again on the way up; 1 unless it is set. 0 means 1.
    pub fn sweeps(mut self, sweeps: usize) -> Self {
        self.sweeps = sweeps.max(1);
        self
    }

    /// Sets the number of cycles of a call, 1 unless it is set. 0 means 1.
    pub fn cycles(mut self, cycles: usize) -> Self {
        self.cycles = cycles.max(1);
        self
    }

    /// Starts from the elements of `x`, if `from_x`, in place of 0.
    pub fn from_x(mut self, from_x: bool) -> Self {
        self.from_x = from_x;
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.stream = Some(stream.clone());
        self
    }

    /// The number of grids, from the given one to the coarsest.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Approximates the solution of `a * x = b` by V-cycles, on the device's default stream or that of
    /// [`on`](Self::on). `b` and `x` are buffers or slices with an element for each point, in different buffers.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::Multigrid;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// // -x'' = 2 between 0 and 32, with zeros at both ends: x = t (32 - t).
    /// let (b, mut x) = (device.buffer_from(&[2.0f32; 31])?, device.buffer::<f32>(31)?);
    /// Multigrid::new(&[31])?.cycles(10).run(&b, &mut x)?;
    /// assert!((x.read()?[15] - 16.0 * 16.0).abs() < 0.01);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError`] for arrays of other lengths, a slice out of range, arrays of two devices, an existing guard,
    /// `f64` on a device without it, or an error of the device. In that case nothing has run.
    pub fn run<'b, 'x, T: SparseElement>(
        &self,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let destination = self.stream.clone().map_or(Destination::Own, Destination::Stream);
        self.append(&b.into(), &x.into(), (self.cycles, self.from_x), destination)
    }

    /// Appends the commands of [`run`](Self::run) to `recording`.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::ops::Multigrid;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let (b, mut x) = (device.buffer_from(&[3.0f32])?, device.buffer::<f32>(1)?);
    /// let mut recording = device.recording();
    /// Multigrid::new(&[1])?.record(&mut recording, &b, &mut x)?;
    /// recording.submit()?;
    /// assert_eq!(*x.read()?, [1.5]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As `run`.
    pub fn record<'b, 'x, T: SparseElement>(
        &self,
        recording: &mut Recording,
        b: impl Into<Slice<'b, T>>,
        x: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let destination = Destination::Recording(recording);
        self.append(&b.into(), &x.into(), (self.cycles, self.from_x), destination)
    }

    fn append<T: SparseElement>(
        &self,
        b: &Slice<'_, T>,
        x: &SliceMut<'_, T>,
        (cycles, from_x): (usize, bool),
        mut destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let operands = Operands { b: operands::bytes(OPERATOR, "b", b)?, u: operands::bytes_mut(OPERATOR, "x", x)? };
        operands::counted::<T>(OPERATOR, "the grid", &self.grid)?;
        operands::expect(OPERATOR, "b", (b.len(), &self.grid))?;
        operands::expect(OPERATOR, "x", (x.len(), &self.grid))?;
        operands.check(&destination)?;
        if self.levels[0].count() == 0 {
            return Ok(());
        }
        for turn in 0..cycles {
            let cycle = Cycle { levels: &self.levels, sweeps: self.sweeps, from_zero: turn == 0 && !from_x };
            if T::WIDE {
                operands.run_wide(cycle, &mut destination)?;
            } else {
                operands.run(cycle, &mut destination)?;
            }
        }
        Ok(())
    }
}

impl<T: SparseElement> Preconditioner<T> for Multigrid {
    fn record(
        &self,
        recording: &mut Recording,
        r: &UnifiedBuffer<T>,
        z: &mut UnifiedBuffer<T>,
    ) -> Result<(), OperationError> {
        let destination = Destination::Recording(recording);
        self.append(&r.slice(..), &z.slice_mut(..), (self.cycles, false), destination)
    }
}

const OPERATOR: Operator = Operator("multigrid");
