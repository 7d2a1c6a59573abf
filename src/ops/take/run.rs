//! The commands of a selection by indices.

use super::super::error::OperationError;
use super::super::moving::indices::{Along, Outside};
use super::super::moving::launch::{fill_cells, modules};
use super::super::moving::layout::period;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::OPERATOR;
use super::plan::Pass;
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/take.wgsl": words, wide, vectors, packed);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'x, 'i, 'y> {
    pub(super) x: Slice<'x, u8>,
    pub(super) indices: Slice<'i, u8>,
    pub(super) y: SliceMut<'y, u8>,
}

/// The parameters of a call, without its arrays.
pub(super) struct Call {
    pub(super) along: Along,
    /// The size of an index in bytes, and whether it is signed.
    pub(super) index: (u64, bool),
    pub(super) outside: Outside,
    pub(super) keep: bool,
    /// The size of an element in bytes.
    pub(super) element: u64,
    pub(super) fill: Vec<u8>,
}

impl Operands<'_, '_, '_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("indices", self.indices), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        call: &Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.y.core.device);
        // Kernels need at least one element in each array, also if the axis is empty.
        let spare = device.scratch::<u8>(16, destination).map_err(operands::memory(OPERATOR))?;
        let x = if self.x.is_empty() { spare.slice(..) } else { self.x };
        plan.passes.iter().try_for_each(|pass| self.launch(call, *pass, &x, destination.reborrow()))
    }

    fn launch(
        &self,
        call: &Call,
        Pass { cell }: Pass,
        x: &Slice<'_, u8>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { along, index: (index, signed), keep, element, .. } = *call;
        let (device, y) = (Device::of(&self.y.core.device), &self.y);
        let (indices, first) = whole_cells::<u32>(&self.indices).map_err(OPERATOR.slice("indices"))?;
        let fill = fill_cells(&call.fill, cell);
        let shared_indices = along.shared;
        let [count, inner] = [along.selected(), along.inner].map(|elements| elements * element / cell);
        macro_rules! launch {
            ($module:ident, $cells:expr, $threads:expr $(, $bits:ident: $value:expr)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                // The limit of the operator keeps all of these numbers within 31 bits.
                let sizes = $module::Sizes {
                    count: count as u32,
                    first_of_x,
                    first_of_y,
                    inner: inner as u32,
                    each_index: (element / cell).max(1) as u32,
                    lines: along.lines as u32,
                    period: period(&call.fill, cell) as u32,
                    indices: $module::Indices {
                        size: along.size as u32,
                        first,
                        words: (index / 4) as u32,
                        signs: u32::from(signed),
                        mode: call.outside as u32,
                    },
                    ..bytemuck::Zeroable::zeroed()
                };
                let threads: u64 = $threads(u64::from(first_of_y));
                let kernel = $module::take_with(&device, $module::Overrides { shared_indices, keep $(, $bits: $value)? })?;
                kernel.launch($module::Args { sizes, fill, indices, x, y }).to(destination).threads(threads)?;
            }};
        }
        match cell {
            16 => launch!(vectors, Cells::<[u32; 4]>::whole(OPERATOR, x, y)?, |_| count),
            8 => launch!(wide, Cells::<[u32; 2]>::whole(OPERATOR, x, y)?, |_| count),
            4 => launch!(words, Cells::<u32>::whole(OPERATOR, x, y)?, |_| count),
            size => {
                let each = 4 / size;
                let threads = |first: u64| (first % each + count).div_ceil(each);
                launch!(packed, Cells::packed(OPERATOR, x, y, size)?, threads, bits: 8 * size as u32);
            }
        }
        Ok(())
    }
}
