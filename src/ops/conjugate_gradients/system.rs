//! The arrays and the recordings of a solver.

use super::super::elementwise::ElementwiseKernel;
use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operation::arguments::{Inputs, Outputs};
use super::super::reduce;
use super::super::reduction::ReductionKernel;
use super::super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use super::error::SolveError;
use super::kernels::{self, BB, FLAGS, ITERATIONS, LAST, PQ, ROW, RR, RZ, STATE, STATUS, SUMS, TARGET};
use super::{ConjugateGradients, OPERATOR, Solution, device_of};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::error::{BufferError, Error};
use crate::submit::Recording;

/// The greatest number of iterations in a recording.
const RECORDED: u32 = 32;
/// The greatest number of entries of a row that one launch reads: llvmpipe ends longer loops.
const ENTRIES: u32 = 50_000;

/// A system of equations on its device, with all commands recorded.
pub(super) struct System<T> {
    vectors: Vectors<T>,
    start: Recording,
    /// Some iterations, and how often they are replayed between two looks of the host.
    iterations: (Recording, u32),
    finish: Recording,
}

struct Vectors<T> {
    device: Device,
    /// The solution so far.
    x: UnifiedBuffer<T>,
    /// The residual, divided by the greatest element of `b`.
    r: UnifiedBuffer<T>,
    /// The direction of a step.
    p: UnifiedBuffer<T>,
    /// The product of the matrix and the direction.
    q: UnifiedBuffer<T>,
    /// The diagonal of the matrix, or a 1 for all rows without a preconditioner.
    d: UnifiedBuffer<T>,
    scale: UnifiedBuffer<T>,
    sums: UnifiedBuffer<T>,
    state: UnifiedBuffer<T>,
    flags: UnifiedBuffer<u32>,
    /// The greatest number of iterations.
    most: u32,
    preconditioned: u32,
}

impl<T: SparseElement> System<T> {
    /// Allocates all arrays and records all commands: kernels are compiled here, and nothing has run.
    pub(super) fn new(
        solver: &ConjugateGradients,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: &SliceMut<'_, T>,
        most: u32,
    ) -> Result<Self, SolveError> {
        let device = device_of(a);
        let mut vectors = Vectors::new(&device, solver, a.rows(), most).map_err(operands::memory(OPERATOR))?;
        let recording = || -> Result<Recording, OperationError> {
            let mut recording = device.recording();
            match &solver.stream {
                Some(stream) => recording.on(stream).map_err(operands::memory(OPERATOR))?,
                None => {}
            }
            Ok(recording)
        };
        let (mut start, mut iterations, mut finish) = (recording()?, recording()?, recording()?);
        vectors.record_start(&mut start, a, b, solver.from_x.then_some(x))?;
        let count = recorded(solver.check_every);
        for _ in 0..count {
            vectors.record_iteration(&mut iterations, a)?;
        }
        vectors.record_finish(&mut finish, a, b)?;
        Ok(Self { vectors, start, iterations: (iterations, solver.check_every / count), finish })
    }

    pub(super) fn solve(mut self, solver: &ConjugateGradients, x: SliceMut<'_, T>) -> Result<Solution, SolveError> {
        self.start.submit().map_err(SolveError::Run)?;
        let mut flags = self.vectors.flags()?;
        let row = flags[ROW];
        if row != kernels::NO_ROW {
            let value = self.vectors.d.slice(row as usize..=row as usize).read().map_err(failed)?[0].wide();
            return Err(SolveError::Diagonal { row: row as usize, value });
        }
        if flags[STATUS] == kernels::NOT_FINITE {
            return Err(SolveError::NotFinite);
        }
        while flags[STATUS] == kernels::RUNNING {
            for _ in 0..self.iterations.1 {
                self.iterations.0.submit().map_err(SolveError::Run)?;
            }
            flags = self.vectors.flags()?;
        }
        self.finish.copy(&self.vectors.x, x).map_err(failed)?;
        self.finish.submit().map_err(SolveError::Run)?;
        let sums = self.vectors.sums.read().map_err(failed)?;
        let wide = |at: usize| sums[at].wide();
        let relative_residual = if wide(BB) == 0.0 { 0.0 } else { (wide(LAST) / wide(BB)).sqrt() };
        let iterations = flags[ITERATIONS];
        match flags[STATUS] {
            kernels::BROKEN => Err(SolveError::NotPositiveDefinite { iteration: iterations, product: wide(PQ) }),
            kernels::EXHAUSTED => {
                Err(SolveError::NotConverged { iterations, relative_residual, tolerance: solver.tolerance })
            }
            _ => Ok(Solution { iterations, relative_residual }),
        }
    }
}

impl<T: SparseElement> Vectors<T> {
    fn new(device: &Device, solver: &ConjugateGradients, rows: usize, most: u32) -> Result<Self, BufferError> {
        let vector = || device.buffer::<T>(rows);
        let mut state = [T::of(0.0); STATE];
        state[TARGET] = T::of(solver.tolerance * solver.tolerance);
        let mut flags = [0; FLAGS];
        flags[ROW] = kernels::NO_ROW;
        Ok(Self {
            device: device.clone(),
            x: vector()?,
            r: vector()?,
            p: vector()?,
            q: vector()?,
            d: if solver.jacobi { vector()? } else { device.buffer_from(&[T::of(1.0)])? },
            scale: device.buffer(1)?,
            sums: device.buffer(SUMS)?,
            state: device.buffer_from(&state)?,
            flags: device.buffer_from(&flags)?,
            most,
            preconditioned: u32::from(solver.jacobi),
        })
    }

    fn flags(&self) -> Result<[u32; FLAGS], SolveError> {
        let mut flags = [0; FLAGS];
        self.flags.copy_to_slice(&mut flags).map_err(failed)?;
        Ok(flags)
    }

    /// Records the diagonal, the first residual and direction, and the first test.
    fn record_start(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: Option<&SliceMut<'_, T>>,
    ) -> Result<(), OperationError> {
        let Self { device, x: own, r, p, q, d, scale, sums, state, flags, most, preconditioned } = self;
        if *preconditioned != 0 {
            to.fill(&mut *d, T::of(0.0)).map_err(operands::memory(OPERATOR))?;
            for first in (0..a.longest_row() as u32).step_by(ENTRIES as usize) {
                let inputs = (a.offsets(), a.column_indices(), a.values(), first, ENTRIES);
                each(device, &kernels::DIAGONAL, to, inputs, &mut *d)?;
            }
            sum(device, &kernels::FIRST_ROW, to, &*d, flags.slice_mut(ROW..=ROW))?;
        }
        match x {
            Some(x) => {
                to.copy(x, &mut *own).map_err(operands::memory(OPERATOR))?;
                SparseProduct::new().record(to).run(a, &*own, &mut *q)?;
            }
            None => {
                to.fill(&mut *own, T::of(0.0)).map_err(operands::memory(OPERATOR))?;
                to.fill(&mut *q, T::of(0.0)).map_err(operands::memory(OPERATOR))?;
            }
        }
        sum(device, &kernels::SCALE, to, b, &mut *scale)?;
        each(device, &kernels::START, to, (b, &*q, &*d, &*scale), (&mut *own, &mut *r, &mut *p))?;
        // With 0 in place of `q`, the squares are those of `b`.
        let zero = device.buffer_from(&[T::of(0.0)]).map_err(operands::memory(OPERATOR))?;
        sum(device, &kernels::SQUARES, to, (b, &zero, &*scale), sums.slice_mut(BB..=BB))?;
        sum(device, reduce::dot(), to, (&*r, &*r), sums.slice_mut(RR..=RR))?;
        if *preconditioned != 0 {
            sum(device, &kernels::WEIGHTED, to, (&*r, &*d), sums.slice_mut(RZ..=RZ))?;
        }
        let begin = kernels::BEGIN.call(device).size(1).record(to);
        begin.run((&*sums, &*scale, *most, *preconditioned), (&mut *state, &mut *flags))
    }

    fn record_iteration(&mut self, to: &mut Recording, a: &SparseMatrix<T>) -> Result<(), OperationError> {
        let Self { device, x, r, p, q, d, sums, state, flags, most, preconditioned, .. } = self;
        SparseProduct::new().record(to).run(a, &*p, &mut *q)?;
        sum(device, reduce::dot(), to, (&*p, &*q), sums.slice_mut(PQ..=PQ))?;
        each(device, &kernels::ADVANCE, to, (&*p, &*q, &*sums, &*state, &*flags), (&mut *x, &mut *r))?;
        sum(device, reduce::dot(), to, (&*r, &*r), sums.slice_mut(RR..=RR))?;
        if *preconditioned != 0 {
            sum(device, &kernels::WEIGHTED, to, (&*r, &*d), sums.slice_mut(RZ..=RZ))?;
        }
        let test = kernels::TEST.call(device).size(1).record(to);
        test.run((&*sums, *most, *preconditioned), (&mut *state, &mut *flags))?;
        each(device, &kernels::DIRECTION, to, (&*r, &*d, &*state, &*flags), &mut *p)
    }

    /// Records the residual of the solution, computed from `x`.
    fn record_finish(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
    ) -> Result<(), OperationError> {
        let Self { device, x, q, scale, sums, .. } = self;
        SparseProduct::new().record(to).run(a, &*x, &mut *q)?;
        sum(device, &kernels::SQUARES, to, (b, &*q, &*scale), sums.slice_mut(LAST..=LAST))
    }
}

fn each<'a>(
    device: &Device,
    kernel: &ElementwiseKernel,
    to: &mut Recording,
    inputs: impl Inputs<'a>,
    outputs: impl Outputs<'a>,
) -> Result<(), OperationError> {
    kernel.call(device).record(to).run(inputs, outputs)
}

fn sum<'a>(
    device: &Device,
    kernel: &ReductionKernel,
    to: &mut Recording,
    inputs: impl Inputs<'a>,
    output: impl Outputs<'a>,
) -> Result<(), OperationError> {
    kernel.call(device).record(to).run(inputs, output)
}

/// The number of iterations in a recording: the greatest divisor that is at most [`RECORDED`], so that replays end at
/// each look of the host.
fn recorded(check_every: u32) -> u32 {
    (1..=RECORDED.min(check_every)).rev().find(|count| check_every.is_multiple_of(*count)).unwrap_or(1)
}

fn failed(error: BufferError) -> SolveError {
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
