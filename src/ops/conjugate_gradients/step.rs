//! The step on the residual with its sums in one kernel, and the test that completes an iteration.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::rows::launch::target;
use super::super::rows::plan::Target;
use super::super::solving::base::Base;
use super::super::solving::kernels::{
    BROKEN, CONVERGED, DIVISOR, EXHAUSTED, ITERATIONS, REASON, RR, RUNNING, STATUS, TARGET,
};
use super::super::sparse::SparseElement;
use super::OPERATOR;
use super::kernels::{ALPHA, BETA, OLD_RZ, PQ, RZ};
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, UnifiedBuffer};
use crate::device::Device;
use crate::submit::{Destination, Recording};

crate::kernels!(mod singles = "shaders/ops/conjugate_gradients.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/conjugate_gradients.wgsl", root = "shaders", feature wide = true);

/// The number of rows of an invocation, unless there are more than [`MOST_PARTS`] parts.
const ROWS: u64 = 8;
/// As many workgroups as a large device runs at the same time.
const MOST_PARTS: u64 = 1024;

/// The number of partial sums: one for a workgroup of 256, or for an invocation on a processor, where barriers are slow.
fn parts(rows: u64, target: Target) -> u64 {
    let of_part = if target.software { 256 } else { 256 * ROWS };
    rows.div_ceil(of_part).clamp(1, MOST_PARTS)
}

/// The kernels between the product and the next direction.
pub(super) struct Step<T> {
    /// The sums `r . r` of all parts, and then `r . r / d`.
    partials: UnifiedBuffer<T>,
    parts: u64,
    software: bool,
    /// Whether residuals are divided by the diagonal.
    jacobi: bool,
    /// The position of `r . z` in the sums.
    place: u32,
}

impl<T: SparseElement> Step<T> {
    pub(super) fn new(base: &Base<T>, jacobi: bool, place: u32) -> Result<Self, OperationError> {
        let target = target(&base.device);
        let parts = parts(base.r.len() as u64, target);
        let partials = base.device.buffer(2 * parts as usize).map_err(operands::memory(OPERATOR))?;
        Ok(Self { partials, parts, software: target.software, jacobi, place })
    }

    /// Records `r -= alpha * q`, and its partial sums.
    pub(super) fn record_advance(
        &mut self,
        to: &mut Recording,
        base: &mut Base<T>,
        d: &UnifiedBuffer<T>,
    ) -> Result<(), OperationError> {
        if T::WIDE { self.advance_wide(to, base, d) } else { self.advance(to, base, d) }
    }

    /// Records the count of the iteration and the test of its residual.
    pub(super) fn record_test(&mut self, to: &mut Recording, base: &mut Base<T>) -> Result<(), OperationError> {
        if T::WIDE { self.test_wide(to, base) } else { self.test(to, base) }
    }
}

/// The bytes of an array of the solver.
fn read<'a, T: SparseElement>(
    name: &'static str,
    array: &'a UnifiedBuffer<T>,
) -> Result<Slice<'a, u8>, OperationError> {
    operands::bytes(OPERATOR, name, &array.slice(..))
}

/// Defines the methods that append both kernels, for a module and its type of numbers.
macro_rules! record {
    ($advance:ident, $test:ident, $step:ident, $module:ident, $number:ty) => {
        fn $step(&self, base: &Base<T>) -> $module::Step {
            $module::Step {
                rows: base.r.len() as u32,
                parts: self.parts as u32,
                most: base.most,
                jacobi: self.jacobi.into(),
                place: self.place,
                pq: PQ as u32,
                rr: RR as u32,
                rz: RZ as u32,
                old_rz: OLD_RZ as u32,
                alpha: ALPHA as u32,
                beta: BETA as u32,
                scale: DIVISOR as u32,
                goal: TARGET as u32,
                status: STATUS as u32,
                iterations: ITERATIONS as u32,
                reason: REASON as u32,
                running: RUNNING,
                converged: CONVERGED,
                exhausted: EXHAUSTED,
                broken: BROKEN,
            }
        }

        fn $advance(
            &mut self,
            to: &mut Recording,
            base: &mut Base<T>,
            d: &UnifiedBuffer<T>,
        ) -> Result<(), OperationError> {
            let (device, step) = (&Device::of(&base.r.core.device), self.$step(base));
            let Base { q, r, sums, state, flags, .. } = base;
            let (q, d) = (read("q", q)?, read("d", d)?);
            let (q, d) = (whole_cells::<$number>(&q), whole_cells::<$number>(&d));
            let (q, d) = (q.map_err(OPERATOR.slice("q"))?.0, d.map_err(OPERATOR.slice("d"))?.0);
            let (sums, state) = (read("sums", sums)?, read("state", state)?);
            let (sums, state) = (whole_cells::<$number>(&sums), whole_cells::<$number>(&state));
            let (sums, state) = (sums.map_err(OPERATOR.slice("sums"))?.0, state.map_err(OPERATOR.slice("state"))?.0);
            let r = operands::bytes_mut(OPERATOR, "r", &r.slice_mut(..))?;
            let r = whole_cells_mut::<$number>(&r).map_err(OPERATOR.slice("r"))?.0;
            let partials = operands::bytes_mut(OPERATOR, "partial sums", &self.partials.slice_mut(..))?;
            let partials = whole_cells_mut::<$number>(&partials).map_err(OPERATOR.slice("partial sums"))?.0;
            let (flags, to) = (&*flags, Destination::Recording(to));
            if self.software {
                let args = $module::AdvanceLinesArgs { step, q, d, r, partials, sums, state, flags };
                $module::advance_lines(device)?.launch(args).to(to).threads(self.parts)?;
            } else {
                let args = $module::AdvanceGroupsArgs { step, q, d, r, partials, sums, state, flags };
                $module::advance_groups(device)?.launch(args).to(to).groups([self.parts, 1])?;
            }
            Ok(())
        }

        fn $test(&mut self, to: &mut Recording, base: &mut Base<T>) -> Result<(), OperationError> {
            let (device, step) = (&Device::of(&base.r.core.device), self.$step(base));
            let Base { sums, state, flags, .. } = base;
            let partials = read("partial sums", &self.partials)?;
            let partials = whole_cells::<$number>(&partials).map_err(OPERATOR.slice("partial sums"))?.0;
            let sums = operands::bytes_mut(OPERATOR, "sums", &sums.slice_mut(..))?;
            let sums = whole_cells_mut::<$number>(&sums).map_err(OPERATOR.slice("sums"))?.0;
            let state = operands::bytes_mut(OPERATOR, "state", &state.slice_mut(..))?;
            let state = whole_cells_mut::<$number>(&state).map_err(OPERATOR.slice("state"))?.0;
            let (flags, to) = (&mut *flags, Destination::Recording(to));
            if self.software {
                let args = $module::TestLineArgs { step, partials, sums, state, flags };
                $module::test_line(device)?.launch(args).to(to).groups([1, 1])?;
            } else {
                let args = $module::TestGroupArgs { step, partials, sums, state, flags };
                $module::test_group(device)?.launch(args).to(to).groups([1, 1])?;
            }
            Ok(())
        }
    };
}

impl<T: SparseElement> Step<T> {
    record!(advance, test, step, singles, f32);
    record!(advance_wide, test_wide, step_wide, doubles, f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_the_number_of_rows() {
        let (gpu, cpu) = (Target { software: false, strips: false }, Target { software: true, strips: true });
        assert_eq!([1, 2048, 2049, 1 << 30].map(|rows| parts(rows, gpu)), [1, 1, 2, 1024]);
        assert_eq!([1, 256, 257, 1 << 30].map(|rows| parts(rows, cpu)), [1, 1, 2, 1024]);
    }
}
