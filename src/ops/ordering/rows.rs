//! The order of keys in short rows.

use super::super::error::OperationError;
use super::keys::KeyOrder;
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/order_rows.wgsl", root = "shaders");

/// The most keys of a row.
pub(crate) const MAX_ROW: u64 = 1024;

/// The kernel for keys of one type.
pub(crate) struct OrderRows {
    kernel: kernel::OrderRows,
    order: KeyOrder,
}

/// The rows, of at most [`MAX_ROW`] keys each.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// Rows between neighbouring bounds, one less than these; positions count from the beginning of the array.
    Bounds(Slice<'a, u32>),
    /// `rows` rows of `row` keys; the first `kept` positions of each are written, and count from the beginning of the
    /// row.
    Equal { rows: u32, row: u32, kept: u32 },
    /// The same for keys at listed positions of rows that begin `stride` keys after each other.
    Listed { rows: u32, row: u32, stride: u32, list: Slice<'a, u32> },
}

impl OrderRows {
    pub(crate) fn of(device: &Device, order: KeyOrder, listed: bool) -> Result<Self, OperationError> {
        let overrides =
            kernel::Overrides { key_bits: order.word_bits(), floats: order.is_float(), wide: order.is_wide(), listed };
        Ok(Self { kernel: kernel::order_rows_with(device, overrides)?, order })
    }

    /// Writes the positions of the keys in their order.
    pub(crate) fn launch(
        &self,
        (keys, first_of_keys): (Slice<'_, u32>, u32),
        rows: Rows<'_>,
        (places, first_of_places): (&SliceMut<'_, u32>, u32),
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (bounds, [rows, row, stride, kept]) = match rows {
            Rows::Bounds(bounds) => (bounds, [bounds.len().saturating_sub(1) as u32, 0, 0, u32::MAX]),
            // An array to bind.
            Rows::Equal { rows, row, kept } => (keys, [rows, row, row, kept]),
            Rows::Listed { rows, row, stride, list } => (list, [rows, row, stride, row]),
        };
        let sizes = kernel::Sizes { rows, first_of_keys, first_of_places, row, stride, kept };
        let args = kernel::Args { order: self.order.uniform(), sizes, keys, bounds, places: reborrow(places) };
        self.kernel.launch(args).to(destination).groups([rows, 1])?;
        Ok(())
    }
}
