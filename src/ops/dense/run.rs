//! The commands of operators on batches of small matrices.

use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::operator::Operator;
use super::super::rows::launch::target;
use super::sizes::{Sizes, group};
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal};

crate::kernels!(mod cholesky = "shaders/ops/dense_cholesky.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod cholesky_wide = "shaders/ops/dense_cholesky.wgsl", root = "shaders", feature wide = true);
crate::kernels!(mod lu = "shaders/ops/dense_lu.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod lu_wide = "shaders/ops/dense_lu.wgsl", root = "shaders", feature wide = true);
crate::kernels!(mod triangle = "shaders/ops/dense_triangle.wgsl", root = "shaders", feature wide = false);
crate::kernels!(mod triangle_wide = "shaders/ops/dense_triangle.wgsl", root = "shaders", feature wide = true);

/// The arrays of a factorisation, as bytes. Those without elements are not bound.
pub(super) struct Factors<'a> {
    pub(super) a: Slice<'a, u8>,
    pub(super) result: SliceMut<'a, u8>,
    /// The exchanged rows; none for a factorisation without them.
    pub(super) exchanges: Option<SliceMut<'a, u8>>,
    pub(super) failed: SliceMut<'a, u8>,
    pub(super) pivots: SliceMut<'a, u8>,
}

/// The arrays of a solve with triangles, as bytes.
pub(super) struct Sides<'a> {
    pub(super) a: Slice<'a, u8>,
    pub(super) exchanges: Option<Slice<'a, u8>>,
    pub(super) b: Slice<'a, u8>,
    pub(super) x: SliceMut<'a, u8>,
}

/// The triangle of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Triangle {
    pub(super) upper: bool,
    pub(super) unit: bool,
    pub(super) transposed: bool,
}

impl Factors<'_> {
    pub(super) fn check(&self, operator: Operator, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("a", self.a), ("the factors", self.result.as_slice())];
        arrays.extend(self.exchanges.iter().map(|exchanges| ("the exchanges", exchanges.as_slice())));
        arrays.extend([("the status", self.failed.as_slice()), ("the status", self.pivots.as_slice())]);
        let written = arrays.len() - 1;
        operands::check(operator, &self.result.core.device, &arrays, written, destination)
    }
}

impl Sides<'_> {
    pub(super) fn check(&self, operator: Operator, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("a", self.a), ("b", self.b)];
        arrays.extend(self.exchanges.iter().map(|exchanges| ("the exchanges", *exchanges)));
        arrays.push(("x", self.x.as_slice()));
        operands::check(operator, &self.x.core.device, &arrays, 1, destination)
    }
}

/// Appends a copy, unless both arrays are empty.
pub(super) fn copy(
    operator: Operator,
    from: &Slice<'_, u8>,
    to: &SliceMut<'_, u8>,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match transfer::copy(destination, from, to) {
        Err(BufferError::Device { error, .. }) => Err(operator.refused(&to.core.device, &[], Refusal::Device(error))),
        Err(BufferError::InUse { guard }) => Err(operator.in_use("a", guard)),
        outcome => outcome.map(drop).map_err(operator.slice("a")),
    }
}

/// Defines the methods that append the commands of factorisations and solves, for a type of numbers.
macro_rules! runs {
    ($number:ty: $cholesky:ident, $lu:ident, $triangle:ident as $factor:ident, $solve:ident) => {
        impl Factors<'_> {
            pub(super) fn $factor(
                &self,
                operator: Operator,
                sizes: Sizes,
                destination: &mut Destination<'_>,
            ) -> Result<(), OperationError> {
                let device = &Device::of(&self.result.core.device);
                let (groups, rows) = ([sizes.matrices as u32, 1], sizes.rows as u32);
                let group = group(sizes.rows, target(device));
                let (a, first_of_a) =
                    whole_cells_mut::<$number>(&self.result).map_err(operator.slice("the factors"))?;
                let (failed, _) = whole_cells_mut::<u32>(&self.failed).map_err(operator.slice("the status"))?;
                let (pivots, _) = whole_cells_mut::<$number>(&self.pivots).map_err(operator.slice("the status"))?;
                match &self.exchanges {
                    None => {
                        let kernel = $cholesky::factor_with(device, $cholesky::Overrides { group })?;
                        copy(operator, &self.a, &self.result, destination.reborrow())?;
                        let sizes = $cholesky::Sizes { rows, first_of_a };
                        let args = $cholesky::Args { sizes, a, failed, pivots };
                        kernel.launch(args).to(destination.reborrow()).groups(groups)?;
                    }
                    Some(exchanges) => {
                        let kernel = $lu::factor_with(device, $lu::Overrides { group })?;
                        copy(operator, &self.a, &self.result, destination.reborrow())?;
                        let (exchanges, first_of_exchanges) =
                            whole_cells_mut::<u32>(exchanges).map_err(operator.slice("the exchanges"))?;
                        let sizes = $lu::Sizes { rows, first_of_a, first_of_exchanges };
                        let args = $lu::Args { sizes, a, exchanges, failed, pivots };
                        kernel.launch(args).to(destination.reborrow()).groups(groups)?;
                    }
                }
                Ok(())
            }
        }

        impl Sides<'_> {
            /// Appends a copy of the right sides, and solves with one triangle after the other.
            pub(super) fn $solve(
                &self,
                operator: Operator,
                sizes: Sizes,
                triangles: &[Triangle],
                destination: &mut Destination<'_>,
            ) -> Result<(), OperationError> {
                let device = &Device::of(&self.x.core.device);
                let group = group(sizes.rows, target(device));
                let kernel = $triangle::solve_with(device, $triangle::Overrides { group })?;
                let spare = device.scratch::<u32>(4, destination).map_err(memory(operator))?;
                copy(operator, &self.b, &self.x, destination.reborrow())?;
                let (a, first_of_a) = whole_cells::<$number>(&self.a).map_err(operator.slice("a"))?;
                let (exchanges, first_of_exchanges) = match &self.exchanges {
                    Some(exchanges) => whole_cells::<u32>(exchanges).map_err(operator.slice("the exchanges"))?,
                    None => (spare.slice(..), 0),
                };
                for (turn, triangle) in triangles.iter().enumerate() {
                    let (x, first_of_x) = whole_cells_mut::<$number>(&self.x).map_err(operator.slice("x"))?;
                    let numbers = $triangle::Sizes {
                        rows: sizes.rows as u32,
                        columns: sizes.columns as u32,
                        upper: triangle.upper.into(),
                        unit: triangle.unit.into(),
                        transposed: triangle.transposed.into(),
                        exchanged: (turn == 0 && self.exchanges.is_some()).into(),
                        first_of_a,
                        first_of_x,
                        first_of_exchanges,
                    };
                    let args = $triangle::Args { sizes: numbers, a, x, exchanges };
                    kernel.launch(args).to(destination.reborrow()).groups([sizes.matrices as u32, 1])?;
                }
                Ok(())
            }
        }
    };
}

runs!(f32: cholesky, lu, triangle as factor, solve);
runs!(f64: cholesky_wide, lu_wide, triangle_wide as factor_wide, solve_wide);
