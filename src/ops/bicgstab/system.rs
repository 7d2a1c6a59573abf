//! The arrays and the recordings of `BiCGSTAB`.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::reduce;
use super::super::solving::base::{Base, Lengths, Recorded, recorded};
use super::super::solving::error::SolveError;
use super::super::solving::kernels::{ITERATIONS, OWN_FLAGS, REASON, RR, each, once, sum};
use super::super::solving::settings::device_of;
use super::super::solving::{Preconditioner, Solution};
use super::super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use super::kernels::{self, RHO, RV, STATE, SUMS, TS, TT};
use super::{Bicgstab, OPERATOR};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::submit::Recording;

/// A preconditioner, with the vectors that it writes: the direction, and the residual after the first step.
type Division<'m, T> = (&'m dyn Preconditioner<T>, UnifiedBuffer<T>, UnifiedBuffer<T>);

struct Vectors<'m, T> {
    base: Base<T>,
    /// The residual of the start.
    shadow: UnifiedBuffer<T>,
    /// The direction of the first step, and its product.
    p: UnifiedBuffer<T>,
    v: UnifiedBuffer<T>,
    division: Option<Division<'m, T>>,
}

/// Allocates all arrays and records all commands, so that kernels are compiled, and then runs them.
pub(super) fn solve<T: SparseElement>(
    solver: &Bicgstab,
    a: &SparseMatrix<T>,
    preconditioner: Option<&dyn Preconditioner<T>>,
    b: &Slice<'_, T>,
    x: SliceMut<'_, T>,
) -> Result<Solution, SolveError> {
    let (device, settings) = (device_of(a), &solver.settings);
    let base = Base::new(OPERATOR, settings, a, &Lengths { sums: SUMS, state: STATE, flags: OWN_FLAGS })?;
    let division = match preconditioner {
        Some(preconditioner) => Some((preconditioner, base.vector()?, base.vector()?)),
        None => None,
    };
    let mut vectors = Vectors { shadow: base.vector()?, p: base.vector()?, v: base.vector()?, base, division };
    let recording = || settings.recording(OPERATOR, &device);
    let (mut start, mut iterations, mut restart) = (recording()?, recording()?, recording()?);
    vectors.base.record_start(&mut start, a, b, settings.from_x.then_some(&x))?;
    vectors.record_first(&mut start)?;
    let count = recorded(settings.check_every);
    for _ in 0..count {
        vectors.record_iteration(&mut iterations, a)?;
    }
    vectors.base.record_residual(&mut restart, a, b)?;
    vectors.record_first(&mut restart)?;
    let all = Recorded { base: vectors.base, start, iterations: (iterations, settings.check_every / count), restart };
    let diagonal = |_: &Recorded<T>, row: usize| SolveError::Pivot { solver: OPERATOR.0, row, value: 0.0 };
    let broken = |all: &Recorded<T>, flags: &[u32]| {
        let sums = match all.base.sums() {
            Ok(sums) => sums,
            Err(error) => return error,
        };
        let (quantity, value) = match flags[REASON] as usize {
            TS => ("a s . s", sums[TS]),
            RHO => ("r0 . r", sums[RHO]),
            _ => ("r0 . a p", sums[RV]),
        };
        SolveError::Breakdown { solver: OPERATOR.0, iteration: flags[ITERATIONS], quantity, value }
    };
    all.solve(settings, x, diagonal, broken)
}

impl<T: SparseElement> Vectors<'_, T> {
    /// Records a direction that ignores earlier ones.
    fn record_first(&mut self, to: &mut Recording) -> Result<(), OperationError> {
        let Self { base: Base { device, r, sums, state, .. }, shadow, p, .. } = self;
        to.copy(&*r, &mut *shadow).map_err(operands::memory(OPERATOR))?;
        to.copy(&*r, &mut *p).map_err(operands::memory(OPERATOR))?;
        once(device, &kernels::BEGIN, to, &*sums, &mut *state)
    }

    fn record_iteration(&mut self, to: &mut Recording, a: &SparseMatrix<T>) -> Result<(), OperationError> {
        let Self { base, shadow, p, v, division } = self;
        let Base { device, x, r, q: t, sums, state, flags, most, .. } = base;
        if let Some((preconditioner, of_p, _)) = division {
            preconditioner.record(to, p, of_p)?;
        }
        SparseProduct::new().record(to).run(a, division.as_ref().map_or(&*p, |(_, of_p, _)| of_p), &mut *v)?;
        sum(device, reduce::dot(), to, (&*shadow, &*v), sums.slice_mut(RV..=RV))?;
        each(device, &kernels::HALF, to, (&*v, &*sums, &*state, &*flags), &mut *r)?;
        if let Some((preconditioner, _, of_s)) = division {
            preconditioner.record(to, r, of_s)?;
        }
        let (of_p, of_s) = division.as_ref().map_or((&*p, &*r), |(_, of_p, of_s)| (of_p, of_s));
        SparseProduct::new().record(to).run(a, of_s, &mut *t)?;
        sum(device, reduce::dot(), to, (&*t, &*r), sums.slice_mut(TS..=TS))?;
        sum(device, reduce::dot(), to, (&*t, &*t), sums.slice_mut(TT..=TT))?;
        each(device, &kernels::ADVANCE, to, (of_p, of_s, &*sums, &*state, &*flags), &mut *x)?;
        each(device, &kernels::REST, to, (&*t, &*sums, &*flags), &mut *r)?;
        sum(device, reduce::dot(), to, (&*r, &*r), sums.slice_mut(RR..=RR))?;
        sum(device, reduce::dot(), to, (&*shadow, &*r), sums.slice_mut(RHO..=RHO))?;
        once(device, &kernels::TEST, to, (&*sums, *most), (&mut *state, &mut *flags))?;
        each(device, &kernels::DIRECTION, to, (&*r, &*v, &*state, &*flags), &mut *p)
    }
}
