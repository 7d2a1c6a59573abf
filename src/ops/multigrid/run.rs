//! The launches of a V-cycle.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::OPERATOR;
use super::levels::{Axis, Level};
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod singles = "shaders/ops/multigrid.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod doubles = "shaders/ops/multigrid.wgsl", root = "shaders", feature wide = true);

/// The number of sweeps on the coarsest grid, before and after its middle. Sweeps on the way down begin with the points
/// of the coarse grid, and those on the way up end with them: with one axis, cycles are then exact but for rounding.
const COARSEST: usize = 8;

/// A cycle: its grids, the sweeps of each half, and whether it ignores the old solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle<'l> {
    pub(super) levels: &'l [Level],
    pub(super) sweeps: usize,
    pub(super) from_zero: bool,
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) b: Slice<'a, u8>,
    pub(super) u: SliceMut<'a, u8>,
}

/// Defines a method that appends the launches of a cycle, for a module and its type of numbers.
macro_rules! run {
    ($name:ident, $module:ident, $number:ty) => {
        pub(super) fn $name(&self, cycle: Cycle<'_>, destination: &mut Destination<'_>) -> Result<(), OperationError> {
            let device = &Device::of(&self.u.core.device);
            // All kernels are compiled before the first launch.
            let (smooth, subtract) = ($module::smooth_points(device)?, $module::subtract_product(device)?);
            let (restrict, add) = ($module::restrict_residual(device)?, $module::add_correction(device)?);
            let (levels, last) = (cycle.levels, cycle.levels.len() - 1);
            let scratch = |level: &Level, destination: &Destination<'_>| {
                device.scratch::<$number>(level.count(), destination).map_err(operands::memory(OPERATOR))
            };
            // For each level but the first one: the right side and the solution.
            let mut own: Vec<[UnifiedBuffer<$number>; 2]> = Vec::new();
            for level in &levels[1..] {
                own.push([scratch(level, destination)?, scratch(level, destination)?]);
            }
            let mut residual = scratch(&levels[0], destination)?;
            let numbers = |at: usize, colour: u32, from_zero: bool, first_of_b: u32, first_of_u: u32| {
                let axis = |axis: &Axis| $module::Axis {
                    // The limits of the operator keep sizes within 31 bits.
                    points: axis.points as u32,
                    used: axis.used.into(),
                    gap: axis.gap as f32,
                    spare: 0,
                };
                let [z, y, x] = &levels[at].axes;
                let [coarse_z, coarse_y, coarse_x] = &levels[(at + 1).min(last)].axes;
                $module::Level {
                    z: axis(z),
                    y: axis(y),
                    x: axis(x),
                    coarse_z: axis(coarse_z),
                    coarse_y: axis(coarse_y),
                    coarse_x: axis(coarse_x),
                    factor: levels[at].factor as $number,
                    colour,
                    from_zero: from_zero.into(),
                    first_of_b,
                    first_of_u,
                }
            };
            let threads = |level: &Level| {
                let [z, y, x] = level.axes.map(|axis| axis.points as u64);
                [x, y, z]
            };
            let of_b = whole_cells::<$number>(&self.b).map_err(OPERATOR.slice("b"))?;
            let sweep = |at: usize,
                         own: &mut [[UnifiedBuffer<$number>; 2]],
                         colours: [u32; 2],
                         from_zero: bool,
                         to: &mut Destination<'_>|
             -> Result<(), OperationError> {
                for (turn, colour) in colours.into_iter().enumerate() {
                    let ((b, first_of_b), (u, first_of_u)) = match own.get_mut(at.wrapping_sub(1)) {
                        Some([b, u]) => ((b.slice(..), 0), (u.slice_mut(..), 0)),
                        None => (of_b, whole_cells_mut::<$number>(&self.u).map_err(OPERATOR.slice("x"))?),
                    };
                    let level = numbers(at, colour, from_zero && turn == 0, first_of_b, first_of_u);
                    let [x, y, z] = threads(&levels[at]);
                    let args = $module::SmoothPointsArgs { level, b, u };
                    smooth.launch(args).to(to.reborrow()).threads([x.div_ceil(2), y, z])?;
                }
                Ok(())
            };
            for at in 0..last {
                for turn in 0..cycle.sweeps {
                    let from_zero = turn == 0 && (at > 0 || cycle.from_zero);
                    sweep(at, &mut own, [1, 0], from_zero, destination)?;
                }
                {
                    let ((b, first_of_b), (old, first_of_u)) = match own.get(at.wrapping_sub(1)) {
                        Some([b, u]) => ((b.slice(..), 0), (u.slice(..), 0)),
                        None => {
                            let u = self.u.as_slice();
                            (of_b, whole_cells::<$number>(&u).map_err(OPERATOR.slice("x"))?)
                        }
                    };
                    let level = numbers(at, 0, false, first_of_b, first_of_u);
                    let residual = residual.slice_mut(..levels[at].count());
                    let args = $module::SubtractProductArgs { level, b, old, residual };
                    subtract.launch(args).to(destination.reborrow()).threads(threads(&levels[at]))?;
                }
                let fine = residual.slice(..levels[at].count());
                let args =
                    $module::RestrictResidualArgs { level: numbers(at, 0, false, 0, 0), fine, coarse: &mut own[at][0] };
                restrict.launch(args).to(destination.reborrow()).threads(threads(&levels[at + 1]))?;
            }
            for turn in 0..COARSEST {
                sweep(last, &mut own, [1, 0], turn == 0 && (last > 0 || cycle.from_zero), destination)?;
            }
            for _ in 0..COARSEST {
                sweep(last, &mut own, [0, 1], false, destination)?;
            }
            for at in (0..last).rev() {
                {
                    let (before, after) = own.split_at_mut(at);
                    let (u, first_of_u) = match before.last_mut() {
                        Some([_, u]) => (u.slice_mut(..), 0),
                        None => whole_cells_mut::<$number>(&self.u).map_err(OPERATOR.slice("x"))?,
                    };
                    let level = numbers(at, 0, false, 0, first_of_u);
                    let args = $module::AddCorrectionArgs { level, u, correction: &after[0][1] };
                    add.launch(args).to(destination.reborrow()).threads(threads(&levels[at]))?;
                }
                for _ in 0..cycle.sweeps {
                    sweep(at, &mut own, [0, 1], false, destination)?;
                }
            }
            Ok(())
        }
    };
}

impl Operands<'_> {
    /// Checks the devices and the guards of both arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("b", self.b), ("x", self.u.as_slice())];
        operands::check(OPERATOR, &self.u.core.device, &arrays, 1, destination)
    }

    run!(run, singles, f32);
    run!(run_wide, doubles, f64);
}
