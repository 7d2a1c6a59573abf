//! A triangle of a sparse matrix whose order of rows is on the device.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::super::rows::launch::target;
use super::super::sparse::{SparseElement, SparseMatrix};
use super::levels::Levels;
use super::plan::{self, Entries, Pass};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;

/// The launches of one triangle.
pub(super) struct Schedule {
    pub(super) order: UnifiedBuffer<u32>,
    pub(super) bounds: UnifiedBuffer<u32>,
    pub(super) passes: Vec<Pass>,
    pub(super) lanes: u32,
    pub(super) levels: usize,
}

impl Schedule {
    /// Finds the levels of a matrix in CSR, and plans their launches. `longest` is the greatest number of iterations for
    /// a row; `lanes` may share it unless `alone`.
    pub(super) fn new(
        operator: Operator,
        device: &Device,
        (offsets, columns): (&[u32], &[u32]),
        upper: bool,
        (longest, alone): (u64, bool),
    ) -> Result<Self, OperationError> {
        let target = target(device);
        let entries = Entries { mean: columns.len() as u64 / (offsets.len() as u64 - 1).max(1), longest };
        let lanes =
            if alone { (longest <= target.max_iterations() / 2).then_some(1) } else { plan::lanes(entries, target) };
        let Some(lanes) = lanes else {
            let got = format!("{longest} steps");
            return Err(operator.choice("a row of", "this device ends longer loops; use another one", got));
        };
        let levels = Levels::of(offsets, columns, upper);
        let passes = plan::passes(&levels.bounds, longest, lanes, target);
        let memory = operands::memory(operator);
        // Kernels need at least one element in each array.
        let order = if levels.order.is_empty() { vec![0] } else { levels.order.clone() };
        Ok(Self {
            order: device.buffer_from(&order).map_err(&memory)?,
            bounds: device.buffer_from(&levels.bounds).map_err(&memory)?,
            passes,
            lanes,
            levels: levels.count(),
        })
    }

    /// The cost of a solve: it reads all entries of the matrix once, and the rows' order.
    pub(super) fn cost<T: SparseElement>(&self, a: &SparseMatrix<T>) -> Cost {
        let (rows, entries, size) = (a.rows() as u64, a.entries() as u64, size_of::<T>() as u64);
        let bytes = entries * (4 + size) + rows * (12 + 2 * size);
        Cost { passes: self.passes.len(), scratch: 0, flops: 2 * entries, bytes }
    }
}
