//! The arrays and the recordings of conjugate gradients.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::reduce;
use super::super::solving::base::{Base, Lengths, Recorded, failed, recorded};
use super::super::solving::error::SolveError;
use super::super::solving::kernels::{ITERATIONS, OWN_FLAGS, ROW, RR, each, once, sum};
use super::super::solving::settings::device_of;
use super::super::solving::{Preconditioner, Solution, diagonal};
use super::super::sparse::{SparseElement, SparseMatrix, SparseProduct, dots};
use super::kernels::{self, PQ, RZ, STATE, SUMS};
use super::step::Step;
use super::{ConjugateGradients, OPERATOR};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::submit::Recording;

/// The division of residuals by an approximation of the matrix.
enum Division<'m, T> {
    None,
    /// By the diagonal of the matrix.
    Jacobi,
    /// By a preconditioner, into a vector.
    Any(&'m dyn Preconditioner<T>, UnifiedBuffer<T>),
}

struct Vectors<'m, T> {
    base: Base<T>,
    /// The direction of a step.
    p: UnifiedBuffer<T>,
    /// The diagonal of the matrix, or a 1 for all rows.
    d: UnifiedBuffer<T>,
    division: Division<'m, T>,
    step: Step<T>,
    /// The sums `p . q` of some rows each, if the product computes them.
    dots: Option<UnifiedBuffer<T>>,
}

/// Allocates all arrays and records all commands, so that kernels are compiled, and then runs them.
pub(super) fn solve<T: SparseElement>(
    solver: &ConjugateGradients,
    a: &SparseMatrix<T>,
    preconditioner: Option<&dyn Preconditioner<T>>,
    b: &Slice<'_, T>,
    x: SliceMut<'_, T>,
) -> Result<Solution, SolveError> {
    let (device, settings) = (device_of(a), &solver.settings);
    let lengths = Lengths { sums: SUMS, state: STATE, flags: OWN_FLAGS };
    let base = Base::new(OPERATOR, settings, a, &lengths)?;
    let d = if solver.jacobi { base.vector()? } else { device.buffer_from(&[T::of(1.0)]).map_err(failed)? };
    let division = match preconditioner {
        Some(preconditioner) => Division::Any(preconditioner, base.vector()?),
        None if solver.jacobi => Division::Jacobi,
        None => Division::None,
    };
    let step = Step::new(&base, solver.jacobi, place_of_rz(&division))?;
    let dots = dots(a)?.map(|count| device.buffer(count)).transpose().map_err(failed)?;
    let mut vectors = Vectors { p: base.vector()?, base, d, division, step, dots };
    let recording = || settings.recording(OPERATOR, &device);
    let (mut start, mut iterations, mut restart) = (recording()?, recording()?, recording()?);
    vectors.record_start(&mut start, a, b, settings.from_x.then_some(&x))?;
    let count = recorded(settings.check_every);
    for _ in 0..count {
        vectors.record_iteration(&mut iterations, a)?;
    }
    vectors.base.record_residual(&mut restart, a, b)?;
    vectors.record_direction(&mut restart)?;
    let Vectors { base, d, .. } = vectors;
    let all = Recorded { base, start, iterations: (iterations, settings.check_every / count), restart };
    let diagonal = |_: &Recorded<T>, row: usize| match d.slice(row..=row).read() {
        Ok(value) => SolveError::Diagonal { row, value: value[0].wide() },
        Err(error) => failed(error),
    };
    let broken = |all: &Recorded<T>, flags: &[u32]| match all.base.sums() {
        Ok(sums) => SolveError::NotPositiveDefinite { iteration: flags[ITERATIONS], product: sums[PQ] },
        Err(error) => error,
    };
    all.solve(settings, x, diagonal, broken)
}

/// The position of `r . z` in the sums.
fn place_of_rz<T>(division: &Division<'_, T>) -> u32 {
    if matches!(division, Division::None) { RR as u32 } else { RZ as u32 }
}

impl<T: SparseElement> Vectors<'_, T> {
    /// Records the diagonal, the first residual and direction, and the first test.
    fn record_start(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
        x: Option<&SliceMut<'_, T>>,
    ) -> Result<(), OperationError> {
        if matches!(self.division, Division::Jacobi) {
            diagonal::record(OPERATOR, to, a, &mut self.d)?;
            let Base { device, flags, .. } = &mut self.base;
            sum(device, &kernels::FIRST_ROW, to, &self.d, flags.slice_mut(ROW..=ROW))?;
        }
        self.base.record_start(to, a, b, x)?;
        self.record_direction(to)
    }

    /// Records a direction that ignores earlier ones.
    fn record_direction(&mut self, to: &mut Recording) -> Result<(), OperationError> {
        self.record_product(to)?;
        let of = place_of_rz(&self.division);
        let Self { base: Base { device, r, sums, state, .. }, p, d, division, .. } = self;
        match division {
            Division::Any(_, z) => to.copy(&*z, &mut *p).map_err(operands::memory(OPERATOR))?,
            _ => each(device, &kernels::FIRST, to, (&*r, &*d), &mut *p)?,
        }
        once(device, &kernels::BEGIN, to, (&*sums, of), &mut *state)
    }

    /// Records the preconditioned residual `z`, and its product with the residual.
    fn record_product(&mut self, to: &mut Recording) -> Result<(), OperationError> {
        let Self { base: Base { device, r, sums, .. }, d, division, .. } = self;
        match division {
            Division::None => Ok(()),
            Division::Jacobi => sum(device, &kernels::WEIGHTED, to, (&*r, &*d), sums.slice_mut(RZ..=RZ)),
            Division::Any(preconditioner, z) => {
                preconditioner.record(to, r, z)?;
                sum(device, reduce::dot(), to, (&*r, &*z), sums.slice_mut(RZ..=RZ))
            }
        }
    }

    fn record_iteration(&mut self, to: &mut Recording, a: &SparseMatrix<T>) -> Result<(), OperationError> {
        let Self { base, p, d, step, dots, .. } = self;
        if let Some(dots) = dots {
            SparseProduct::new().record(to).run_with_dots(a, p, &mut base.q, dots)?;
            sum(&base.device, reduce::sum(), to, &*dots, base.sums.slice_mut(PQ..=PQ))?;
        } else {
            SparseProduct::new().record(to).run(a, &*p, &mut base.q)?;
            sum(&base.device, reduce::dot(), to, (&*p, &base.q), base.sums.slice_mut(PQ..=PQ))?;
        }
        step.record_advance(to, base, d)?;
        if matches!(self.division, Division::Any(..)) {
            self.record_product(to)?;
        }
        let Self { base, p, d, division, step, .. } = self;
        step.record_test(to, base)?;
        let Base { device, x, r, state, flags, .. } = base;
        let z = if let Division::Any(_, z) = division { z } else { r };
        each(device, &kernels::DIRECTION, to, (&*z, &*d, &*state, &*flags), (&mut *x, &mut *p))
    }
}
