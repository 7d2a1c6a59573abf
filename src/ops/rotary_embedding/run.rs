//! The commands of a rotary embedding.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells};
use super::OPERATOR;
use crate::buffer::cells::whole_cells;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/rotary_embedding.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/rotary_embedding.wgsl", root = "shaders", feature packed = true);

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) cosines: Slice<'a, u8>,
    pub(super) sines: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
}

/// The parameters of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: [usize; 4],
    pub(super) rotated: usize,
    pub(super) interleaved: bool,
    pub(super) positions_first: bool,
    pub(super) per_batch: bool,
    pub(super) inverse: bool,
    /// Whether elements have 16 bits.
    pub(super) halves: bool,
    /// Whether elements are `bf16`.
    pub(super) bf16: bool,
}

impl Operands<'_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("cosines", self.cosines), ("sines", self.sines), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a call.
    pub(super) fn run(&self, call: Call, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        let device = &Device::of(&self.y.core.device);
        let Call { shape, interleaved, positions_first, per_batch, inverse, bf16, .. } = call;
        let [_, outer, inner, size] = shape;
        let count = shape.iter().product::<usize>();
        if count == 0 {
            return Ok(());
        }
        // Kernels need at least one element in each array, so `x` replaces tables that are empty because nothing is
        // rotated.
        let tables = [self.cosines, self.sines].map(|table| if table.is_empty() { self.x } else { table });
        let (cosines, first_of_cosines) = whole_cells::<f32>(&tables[0]).map_err(OPERATOR.slice("cosines"))?;
        let (sines, first_of_sines) = whole_cells::<f32>(&tables[1]).map_err(OPERATOR.slice("sines"))?;
        macro_rules! launch {
            ($module:ident, $cells:expr, $threads:expr $(, $bf16:ident)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                // The limit of the operator keeps all of these numbers within 32 bits.
                let rotary = $module::Rotary {
                    count: count as u32,
                    size: size as u32,
                    rotated: call.rotated as u32,
                    outer: outer as u32,
                    inner: inner as u32,
                    positions: if positions_first { outer } else { inner } as u32,
                    first_of_x,
                    first_of_y,
                    first_of_cosines,
                    first_of_sines,
                };
                let overrides =
                    $module::Overrides { interleaved, positions_first, per_batch, inverse $(, $bf16)? };
                let args = $module::Args { rotary, x, y, cosines, sines };
                let launch = $module::rotate_with(device, overrides)?.launch(args);
                launch.to(destination.reborrow()).threads($threads(first_of_y, count as u64))?;
            }};
        }
        if call.halves {
            let threads = |first: u32, count: u64| (u64::from(first % 2) + count).div_ceil(2);
            launch!(packed, Cells::halves(OPERATOR, &self.x, &self.y)?, threads, bf16);
        } else {
            launch!(words, Cells::<f32>::whole(OPERATOR, &self.x, &self.y)?, |_, count| count);
        }
        Ok(())
    }
}
