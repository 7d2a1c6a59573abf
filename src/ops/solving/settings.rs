//! The settings of a solver, and the checks of its arrays.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::sparse::{SparseElement, SparseMatrix};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

/// The settings that all solvers have.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The greatest length of the residual, relative to that of the right side.
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: Option<u32>,
    /// The number of iterations between two looks of the host.
    pub(crate) check_every: u32,
    /// Whether the elements of `x` are the first approximation, in place of 0.
    pub(crate) from_x: bool,
    pub(crate) stream: Option<Stream>,
}

impl Settings {
    pub(crate) fn new() -> Self {
        Self { tolerance: 1e-5, max_iterations: None, check_every: 32, from_x: false, stream: None }
    }

    /// The greatest number of iterations: 10 for each row unless it is set.
    pub(crate) fn most(&self, rows: usize) -> u32 {
        let default = || u32::try_from(rows).map_or(u32::MAX, |rows| rows.saturating_mul(10));
        self.max_iterations.unwrap_or_else(default)
    }

    /// A recording for the stream of the settings.
    pub(crate) fn recording(&self, operator: Operator, device: &Device) -> Result<Recording, OperationError> {
        let mut recording = device.recording();
        if let Some(stream) = &self.stream {
            recording.on(stream).map_err(operands::memory(operator))?;
        }
        Ok(recording)
    }

    pub(crate) fn check<T: SparseElement>(
        &self,
        operator: Operator,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: &SliceMut<'_, T>,
    ) -> Result<(), OperationError> {
        square(operator, a)?;
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            let got = self.tolerance.to_string();
            return Err(operator.choice("a tolerance of", "use a finite number that is not negative", got));
        }
        if self.check_every == 0 {
            return Err(operator.choice("a check after every", "use at least 1", "0 iterations".to_owned()));
        }
        let bytes_of_x = operands::bytes_mut(operator, "x", x)?;
        let arrays = [
            ("offsets", operands::bytes(operator, "offsets", &a.offsets().slice(..))?),
            ("column indices", operands::bytes(operator, "column indices", &a.column_indices().slice(..))?),
            ("values", operands::bytes(operator, "values", &a.values().slice(..))?),
            ("b", operands::bytes(operator, "b", b)?),
            ("x", bytes_of_x.as_slice()),
        ];
        operands::expect(operator, "b", (b.len(), &[a.rows()]))?;
        operands::expect(operator, "x", (x.len(), &[a.rows()]))?;
        let destination = self.stream.clone().map_or(Destination::Own, Destination::Stream);
        operands::check(operator, &a.values().core.device, &arrays, 1, &destination)
    }
}

/// Returns an error unless a matrix is square.
pub(crate) fn square<T: SparseElement>(operator: Operator, a: &SparseMatrix<T>) -> Result<(), OperationError> {
    if a.rows() == a.columns() {
        return Ok(());
    }
    let got = format!("[{}, {}]", a.rows(), a.columns());
    Err(operator.choice("a matrix of shape", "use a square matrix", got))
}

/// The device of a matrix.
pub(crate) fn device_of<T: SparseElement>(a: &SparseMatrix<T>) -> Device {
    Device::of(&a.values().core.device)
}
