//! The arrays of a solver, and the loop of the host.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::reduce;
use super::super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use super::error::SolveError;
use super::kernels::{self, BB, ITERATIONS, OWN_FLAGS, ROW, RR, STATUS, TOLERANCE, each, once, sum};
use super::settings::{Settings, device_of};
use super::solution::Solution;
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::error::{BufferError, Error};
use crate::submit::Recording;

/// The greatest number of iterations in a recording.
const RECORDED: u32 = 32;

/// The arrays that all solvers have.
pub(crate) struct Base<T> {
    pub(crate) operator: Operator,
    pub(crate) device: Device,
    /// The solution so far.
    pub(crate) x: UnifiedBuffer<T>,
    /// The residual, divided by the greatest element of `b`.
    pub(crate) r: UnifiedBuffer<T>,
    /// A product of the matrix.
    pub(crate) q: UnifiedBuffer<T>,
    scale: UnifiedBuffer<T>,
    pub(crate) sums: UnifiedBuffer<T>,
    pub(crate) state: UnifiedBuffer<T>,
    pub(crate) flags: UnifiedBuffer<u32>,
    /// The greatest number of iterations.
    pub(crate) most: u32,
}

/// The lengths of the small arrays, with the elements of a solver.
pub(crate) struct Lengths {
    pub(crate) sums: usize,
    pub(crate) state: usize,
    pub(crate) flags: usize,
}

impl<T: SparseElement> Base<T> {
    pub(crate) fn new(
        operator: Operator,
        settings: &Settings,
        a: &SparseMatrix<T>,
        lengths: &Lengths,
    ) -> Result<Self, OperationError> {
        let device = device_of(a);
        let vector = || device.buffer::<T>(a.rows()).map_err(operands::memory(operator));
        let mut state = vec![T::of(0.0); lengths.state];
        state[TOLERANCE] = T::of(settings.tolerance * settings.tolerance);
        let mut flags = vec![0; lengths.flags.max(OWN_FLAGS)];
        flags[ROW] = kernels::NO_ROW;
        Ok(Self {
            operator,
            x: vector()?,
            r: vector()?,
            q: vector()?,
            scale: device.buffer(1).map_err(operands::memory(operator))?,
            sums: device.buffer(lengths.sums).map_err(operands::memory(operator))?,
            state: device.buffer_from(&state).map_err(operands::memory(operator))?,
            flags: device.buffer_from(&flags).map_err(operands::memory(operator))?,
            most: settings.most(a.rows()),
            device,
        })
    }

    /// A vector with an element for each row.
    pub(crate) fn vector(&self) -> Result<UnifiedBuffer<T>, OperationError> {
        self.device.buffer(self.x.len()).map_err(operands::memory(self.operator))
    }

    /// Records the first solution, its residual and the first test.
    pub(crate) fn record_start(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: Option<&SliceMut<'_, T>>,
    ) -> Result<(), OperationError> {
        let memory = operands::memory(self.operator);
        match x {
            Some(x) => {
                to.copy(x, &mut self.x).map_err(&memory)?;
                SparseProduct::new().record(to).run(a, &self.x, &mut self.q)?;
            }
            None => {
                to.fill(&mut self.x, T::of(0.0)).map_err(&memory)?;
                to.fill(&mut self.q, T::of(0.0)).map_err(&memory)?;
            }
        }
        sum(&self.device, &kernels::SCALE, to, b, &mut self.scale)?;
        sum(&self.device, &kernels::SQUARES, to, (b, &self.scale), self.sums.slice_mut(BB..=BB))?;
        self.record_test(to, b)
    }

    /// Records the residual of the solution so far, by a new product, and a test.
    pub(crate) fn record_residual(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
    ) -> Result<(), OperationError> {
        self.record_product(to, a, b)?;
        self.record_begin(to)
    }

    /// Records the residual of the solution so far, and its square.
    pub(crate) fn record_product(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
    ) -> Result<(), OperationError> {
        SparseProduct::new().record(to).run(a, &self.x, &mut self.q)?;
        self.record_difference(to, b)
    }

    fn record_test(&mut self, to: &mut Recording, b: &Slice<'_, T>) -> Result<(), OperationError> {
        self.record_difference(to, b)?;
        self.record_begin(to)
    }

    fn record_difference(&mut self, to: &mut Recording, b: &Slice<'_, T>) -> Result<(), OperationError> {
        let Self { device, x, r, q, scale, sums, .. } = self;
        each(device, &kernels::RESIDUAL, to, (b, &*q, &*scale), (&mut *x, &mut *r))?;
        sum(device, reduce::dot(), to, (&*r, &*r), sums.slice_mut(RR..=RR))
    }

    fn record_begin(&mut self, to: &mut Recording) -> Result<(), OperationError> {
        let Self { device, scale, sums, state, flags, most, .. } = self;
        once(device, &kernels::BEGIN, to, (&*sums, &*scale, *most), (&mut *state, &mut *flags))
    }

    pub(crate) fn flags(&self) -> Result<Vec<u32>, SolveError> {
        Ok(self.flags.read().map_err(failed)?.to_vec())
    }

    pub(crate) fn sums(&self) -> Result<Vec<f64>, SolveError> {
        Ok(self.sums.read().map_err(failed)?.iter().map(|sum| sum.wide()).collect())
    }

    /// The relative residual of the last test.
    fn relative_residual(&self) -> Result<f64, SolveError> {
        let sums = self.sums()?;
        let ratio = if sums[BB] == 0.0 { 0.0 } else { sums[RR] / sums[BB] };
        Ok(ratio.sqrt())
    }
}

/// A system of equations on its device, with all commands recorded.
pub(crate) struct Recorded<T> {
    pub(crate) base: Base<T>,
    pub(crate) start: Recording,
    /// Some iterations, and how often they are replayed between two looks of the host.
    pub(crate) iterations: (Recording, u32),
    /// Computes the residual from the solution, and prepares iterations that begin there.
    pub(crate) restart: Recording,
}

impl<T: SparseElement> Recorded<T> {
    /// Runs the start, then iterations until the outcome, which `x` receives. `broken` returns the error of an iteration
    /// that could not be computed, `diagonal` that of a row whose diagonal element does not suit the solver.
    pub(crate) fn solve(
        mut self,
        settings: &Settings,
        x: SliceMut<'_, T>,
        diagonal: impl Fn(&Self, usize) -> SolveError,
        broken: impl Fn(&Self, &[u32]) -> SolveError,
    ) -> Result<Solution, SolveError> {
        self.start.submit().map_err(SolveError::Run)?;
        let flags = self.base.flags()?;
        if flags[ROW] != kernels::NO_ROW {
            return Err(diagonal(&self, flags[ROW] as usize));
        }
        if flags[STATUS] == kernels::NOT_FINITE {
            return Err(SolveError::NotFinite { solver: self.base.operator.0 });
        }
        let outcome = self.iterate(settings, flags, broken);
        let mut copy = settings.recording(self.base.operator, &self.base.device)?;
        copy.copy(&self.base.x, x).map_err(failed)?;
        copy.submit().map_err(SolveError::Run)?;
        outcome
    }

    /// Iterates until the residual that is computed from `x` meets the tolerance. The one that iterations carry along
    /// falls further than rounding permits that of `x` to fall.
    fn iterate(
        &mut self,
        settings: &Settings,
        mut flags: Vec<u32>,
        broken: impl Fn(&Self, &[u32]) -> SolveError,
    ) -> Result<Solution, SolveError> {
        let (tolerance, solver) = (settings.tolerance, self.base.operator.0);
        let mut best = f64::INFINITY;
        loop {
            while flags[STATUS] == kernels::RUNNING {
                for _ in 0..self.iterations.1 {
                    self.iterations.0.submit().map_err(SolveError::Run)?;
                }
                flags = self.base.flags()?;
            }
            let (status, iterations) = (flags[STATUS], flags[ITERATIONS]);
            let error = (status == kernels::BROKEN).then(|| broken(self, &flags));
            self.restart.submit().map_err(SolveError::Run)?;
            let relative_residual = self.base.relative_residual()?;
            flags = self.base.flags()?;
            match (flags[STATUS], error) {
                (kernels::CONVERGED, _) => return Ok(Solution { iterations, relative_residual }),
                // Directions that have become useless end with a restart, as long as restarts get further.
                (kernels::RUNNING, Some(SolveError::Breakdown { .. })) if relative_residual < best.min(1.0) / 2.0 => {
                    best = relative_residual;
                }
                (_, Some(error)) => return Err(error),
                (kernels::RUNNING, None) if status != kernels::STAGNATED && relative_residual < best / 2.0 => {
                    best = relative_residual;
                }
                (kernels::RUNNING, None) => {
                    return Err(SolveError::Stagnated { solver, iterations, relative_residual, tolerance });
                }
                _ => return Err(SolveError::NotConverged { solver, iterations, relative_residual, tolerance }),
            }
        }
    }
}

/// The number of iterations in a recording: the greatest divisor of `check_every` that is at most [`RECORDED`], so that
/// replays end at each look of the host.
pub(crate) fn recorded(check_every: u32) -> u32 {
    (1..=RECORDED.min(check_every)).rev().find(|count| check_every.is_multiple_of(*count)).unwrap_or(1)
}

pub(crate) fn failed(error: BufferError) -> SolveError {
    SolveError::Run(Error::from(error))
}

#[cfg(test)]
mod tests {
    use super::recorded;

    #[test]
    fn replays_end_at_looks_of_the_host() {
        assert_eq!([1, 2, 32, 33, 48, 64, 97].map(recorded), [1, 2, 32, 11, 24, 32, 1]);
    }
}
