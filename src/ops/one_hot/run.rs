//! The launch of the kernel that writes a row for each index.

use super::super::error::OperationError;
use super::super::moving::indices::Outside;
use super::super::moving::launch::{fill_cells, modules};
use super::super::moving::operands;
use super::super::plan::Plan;
use super::OPERATOR;
use crate::buffer::cells::{in_words_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/one_hot.wgsl": words, wide, vectors, packed);

/// One launch of the kernel, which writes `count` cells of `cell` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) cell: u64,
    pub(super) count: u64,
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'i, 'y> {
    pub(super) indices: Slice<'i, u8>,
    pub(super) y: SliceMut<'y, u8>,
}

impl Operands<'_, '_> {
    /// Checks that the arrays belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("indices", self.indices), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        [off, on]: [&[u8]; 2],
        classes: usize,
        (index, signed): (u64, bool),
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.y.core.device);
        for Pass { cell, count } in plan.passes.iter().copied() {
            let (indices, first) = whole_cells::<u32>(&self.indices).map_err(OPERATOR.slice("indices"))?;
            let [cold, hot] = [off, on].map(|value| fill_cells(value, cell));
            macro_rules! launch {
                ($module:ident, $cells:expr, $threads:expr $(, $bits:ident: $value:expr)?) => {{
                    let (y, first_of_y) = $cells.map_err(OPERATOR.slice("y"))?;
                    // The operator's limit on elements keeps these numbers within 31 bits.
                    let sizes = $module::Sizes {
                        count: count as u32,
                        first_of_y,
                        period: (off.len() as u64 / cell) as u32,
                        indices: $module::Indices {
                            size: classes as u32,
                            first,
                            words: (index / 4) as u32,
                            signs: u32::from(signed),
                            mode: Outside::Nowhere as u32,
                        },
                        ..bytemuck::Zeroable::zeroed()
                    };
                    let threads: u64 = $threads(u64::from(first_of_y));
                    let args = $module::Args { sizes, hot, cold, indices, y };
                    launch!(@kernel $module $($bits: $value)?).launch(args).to(destination.reborrow()).threads(threads)?;
                }};
                (@kernel $module:ident) => { $module::one_hot(&device)? };
                (@kernel $module:ident $bits:ident: $value:expr) => {
                    $module::one_hot_with(&device, $module::Overrides { $bits: $value })?
                };
            }
            match cell {
                16 => launch!(vectors, whole_cells_mut::<[u32; 4]>(&self.y), |_| count),
                8 => launch!(wide, whole_cells_mut::<[u32; 2]>(&self.y), |_| count),
                4 => launch!(words, whole_cells_mut::<u32>(&self.y), |_| count),
                size => {
                    let each = 4 / size;
                    let threads = |first: u64| (first % each + count).div_ceil(each);
                    let cells = in_words_mut(&self.y).map(|(y, before)| (y, before / size as u32));
                    launch!(packed, cells, threads, bits: 8 * size as u32);
                }
            }
        }
        Ok(())
    }
}
