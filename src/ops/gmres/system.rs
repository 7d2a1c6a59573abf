//! The arrays and the recordings of GMRES.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operation::shape::shaped;
use super::super::reduce;
use super::super::solving::base::{Base, Lengths, Recorded, failed};
use super::super::solving::error::SolveError;
use super::super::solving::kernels::{ITERATIONS, RR, each, once, sum};
use super::super::solving::settings::device_of;
use super::super::solving::{Preconditioner, Solution};
use super::super::sparse::{SparseElement, SparseMatrix, SparseProduct};
use super::kernels::{self, FLAGS, PIVOT, STATE, SUMS, WW};
use super::{Gmres, OPERATOR};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::submit::Recording;

struct Vectors<'m, T> {
    base: Base<T>,
    /// The number of iterations of a cycle.
    m: usize,
    /// The orthogonal vectors of a cycle, one after the other.
    basis: UnifiedBuffer<T>,
    /// The products of the new vector with those before, of the first and of the second pass.
    h: UnifiedBuffer<T>,
    more: UnifiedBuffer<T>,
    /// The numbers of a cycle: see [`kernels`].
    small: UnifiedBuffer<T>,
    /// A vector of the basis, or their sum.
    v: UnifiedBuffer<T>,
    /// A preconditioner, with the vector that it writes.
    division: Option<(&'m dyn Preconditioner<T>, UnifiedBuffer<T>)>,
}

/// Allocates all arrays and records all commands, so that kernels are compiled, and then runs them.
pub(super) fn solve<T: SparseElement>(
    solver: &Gmres,
    a: &SparseMatrix<T>,
    preconditioner: Option<&dyn Preconditioner<T>>,
    b: &Slice<'_, T>,
    x: SliceMut<'_, T>,
) -> Result<Solution, SolveError> {
    let (device, settings) = (device_of(a), &solver.settings);
    let m = (solver.restart as usize).min(a.rows());
    let elements = operands::counted::<T>(OPERATOR, "the vectors of a cycle", &[m + 1, a.rows()])?;
    let base = Base::new(OPERATOR, settings, a, &Lengths { sums: SUMS, state: STATE, flags: FLAGS })?;
    let memory = operands::memory(OPERATOR);
    let mut vectors = Vectors {
        m,
        basis: device.buffer(elements).map_err(&memory)?,
        h: device.buffer(m + 1).map_err(&memory)?,
        more: device.buffer(m + 1).map_err(&memory)?,
        small: device.buffer(kernels::small(m)).map_err(&memory)?,
        v: base.vector()?,
        division: match preconditioner {
            Some(preconditioner) => Some((preconditioner, base.vector()?)),
            None => None,
        },
        base,
    };
    let recording = || settings.recording(OPERATOR, &device);
    let (mut start, mut cycle, mut restart) = (recording()?, recording()?, recording()?);
    vectors.base.record_start(&mut start, a, b, settings.from_x.then_some(&x))?;
    vectors.record_begin(&mut start)?;
    vectors.record_cycle(&mut cycle, a, b)?;
    vectors.base.record_residual(&mut restart, a, b)?;
    vectors.record_begin(&mut restart)?;
    let replays = settings.check_every.div_ceil(m as u32);
    let all = Recorded { base: vectors.base, start, iterations: (cycle, replays), restart };
    let diagonal = |_: &Recorded<T>, row: usize| SolveError::Pivot { solver: OPERATOR.0, row, value: 0.0 };
    let broken = |all: &Recorded<T>, flags: &[u32]| match all.base.state.read() {
        Ok(state) => SolveError::Breakdown {
            solver: OPERATOR.0,
            iteration: flags[ITERATIONS],
            quantity: "the pivot of the least-squares problem",
            value: state[PIVOT].wide(),
        },
        Err(error) => failed(error),
    };
    all.solve(settings, x, diagonal, broken)
}

impl<T: SparseElement> Vectors<'_, T> {
    fn record_begin(&mut self, to: &mut Recording) -> Result<(), OperationError> {
        let Self { base: Base { device, sums, state, flags, .. }, m, small, .. } = self;
        let outputs = (&mut *state, &mut *flags, &mut *small);
        once(device, &kernels::BEGIN, to, (&*sums, *m as u32), outputs)
    }

    /// Records all iterations of a cycle, the step of the solution, and the test of its residual.
    fn record_cycle(
        &mut self,
        to: &mut Recording,
        a: &SparseMatrix<T>,
        b: &Slice<'_, T>,
    ) -> Result<(), OperationError> {
        let Base { device, r, sums, .. } = &self.base;
        each(device, &kernels::NORMALISE, to, (r, sums, RR as u32), &mut self.v)?;
        for j in 0..self.m {
            self.record_iteration(to, a, j)?;
        }
        let Self { base: Base { device, x, state, flags, .. }, m, basis, small, v, division, .. } = self;
        let m = *m as u32;
        once(device, &kernels::COEFFICIENTS, to, (m, &*flags), &mut *small)?;
        each(device, &kernels::COMBINE, to, (&*basis, &*small, &*flags, m), &mut *v)?;
        let step = match division {
            Some((preconditioner, of_v)) => {
                preconditioner.record(to, v, of_v)?;
                of_v
            }
            None => v,
        };
        each(device, &kernels::ADVANCE, to, (&*step, &*state, &*flags), &mut *x)?;
        self.base.record_product(to, a, b)?;
        let Self { base: Base { device, sums, state, flags, most, .. }, small, .. } = self;
        once(device, &kernels::TEST, to, (&*sums, m, *most), (&mut *state, &mut *flags, &mut *small))
    }

    /// Records iteration `j` of a cycle, whose vector is in `v`, and leaves the vector of the next one there.
    fn record_iteration(&mut self, to: &mut Recording, a: &SparseMatrix<T>, j: usize) -> Result<(), OperationError> {
        let Self { base, m, basis, h, more, small, v, division } = self;
        let Base { device, q: w, sums, state, flags, most, .. } = base;
        let (rows, count) = (w.len(), j + 1);
        to.copy(&*v, basis.slice_mut(j * rows..count * rows)).map_err(operands::memory(OPERATOR))?;
        let x = match division {
            Some((preconditioner, of_v)) => {
                preconditioner.record(to, v, of_v)?;
                of_v
            }
            None => &mut *v,
        };
        SparseProduct::new().record(to).run(a, &*x, &mut *w)?;
        for products in [&mut *h, &mut *more] {
            let inputs = (shaped(basis.slice(..count * rows), [count, rows]), shaped(&*w, [1, rows]));
            kernels::PRODUCTS.call(device).axis(1).record(to).run(inputs, products.slice_mut(..count))?;
            each(device, &kernels::SUBTRACT, to, (&*basis, &*products, count as u32), &mut *w)?;
        }
        sum(device, reduce::dot(), to, (&*w, &*w), sums.slice_mut(WW..=WW))?;
        let inputs = (&*h, &*more, &*sums, j as u32, *m as u32, *most);
        once(device, &kernels::ROTATE, to, inputs, (&mut *state, &mut *flags, &mut *small))?;
        each(device, &kernels::NORMALISE, to, (&*w, &*sums, WW as u32), &mut *v)
    }
}
