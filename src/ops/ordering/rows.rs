//! The order of the keys in each of many short rows.

use super::super::error::OperationError;
use super::keys::KeyOrder;
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/order_rows.wgsl", root = "shaders");

/// The greatest number of keys of a row, which one workgroup orders in its memory.
pub(crate) const MAX_ROW: u64 = 1024;

/// The kernel for keys of one type.
pub(crate) struct OrderRows {
    kernel: kernel::OrderRows,
    order: KeyOrder,
}

/// The rows, of at most [`MAX_ROW`] keys each.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// Rows between neighbouring bounds, so that there is one row less than bounds. Positions are counted from the
    /// beginning of the array.
    Bounds(Slice<'a, u32>),
    /// `rows` rows of `row` keys, of which the first `kept` positions are written. Positions are counted from the
    /// beginning of the row.
    Equal { rows: u32, row: u32, kept: u32 },
    /// `row` keys of each of `rows` rows, at the positions in `list`; the rows begin `stride` keys after each other.
    /// Positions are counted from the beginning of the row.
    Listed { rows: u32, row: u32, stride: u32, list: Slice<'a, u32> },
}

impl OrderRows {
    pub(crate) fn of(device: &Device, order: KeyOrder, listed: bool) -> Result<Self, OperationError> {
        let overrides =
            kernel::Overrides { key_bits: order.word_bits(), floats: order.is_float(), wide: order.is_wide(), listed };
        Ok(Self { kernel: kernel::order_rows_with(device, overrides)?, order })
    }

    /// Writes the positions of each row's keys, in the order of the keys.
    pub(crate) fn launch(
        &self,
        (keys, first_of_keys): (Slice<'_, u32>, u32),
        rows: Rows<'_>,
        (places, first_of_places): (&SliceMut<'_, u32>, u32),
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (bounds, [rows, row, stride, kept]) = match rows {
            Rows::Bounds(bounds) => (bounds, [bounds.len().saturating_sub(1) as u32, 0, 0, u32::MAX]),
            // Rows of equal length have no bounds: the keys are bound in their place.
            Rows::Equal { rows, row, kept } => (keys, [rows, row, row, kept]),
            Rows::Listed { rows, row, stride, list } => (list, [rows, row, stride, row]),
        };
        let sizes = kernel::Sizes { rows, first_of_keys, first_of_places, row, stride, kept };
        let args = kernel::Args { order: self.order.uniform(), sizes, keys, bounds, places: reborrow(places) };
        self.kernel.launch(args).to(destination).groups([rows, 1])?;
        Ok(())
    }
}
