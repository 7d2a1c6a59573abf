//! From an integer product to its launch.

use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::plan::Plan;
use super::OPERATOR;
use super::plan::{Pass, Shape};
use crate::buffer::cells::{in_words, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/integer_matmul.wgsl", root = "shaders");

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a, 'b, 'c> {
    pub(super) a: Slice<'a, u8>,
    pub(super) b: Slice<'b, u8>,
    pub(super) c: SliceMut<'c, u8>,
    /// Whether the numbers of `a` and of `b` are signed.
    pub(super) signed: [bool; 2],
    pub(super) zeros: [i32; 2],
}

impl Operands<'_, '_, '_> {
    /// Checks devices and guards.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("a", self.a), ("b", self.b), ("c", self.c.as_slice())];
        operands::check(OPERATOR, &self.c.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        shape: &Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.c.core.device);
        let Shape { m, k, n, transposed, shared, .. } = *shape;
        let is_unsigned = self.signed == [false; 2];
        let shifts = self.signed.map(|signed| !signed && !is_unsigned);
        // Elements from which 128 is subtracted have a zero that is smaller by as much.
        let zeros = [0, 1].map(|factor| self.zeros[factor] - if shifts[factor] { 128 } else { 0 });
        let overrides = kernel::Overrides {
            a_is_deep: !transposed[0],
            b_is_deep: transposed[1],
            is_unsigned,
            shifts_a: shifts[0],
            shifts_b: shifts[1],
            has_zeros: zeros != [0; 2],
        };
        for Pass { tiles_x, groups } in &plan.passes {
            let multiply = kernel::multiply_with(device, overrides)?;
            // Kernels need an element in each array, also without depth.
            let spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
            let [a, b] = [self.a, self.b].map(|factor| if factor.is_empty() { spare.slice(..) } else { factor });
            let (a, first_of_a) = in_words(&a).map_err(OPERATOR.slice("a"))?;
            let (b, first_of_b) = in_words(&b).map_err(OPERATOR.slice("b"))?;
            let (c, first_of_c) = whole_cells_mut::<u32>(&self.c).map_err(OPERATOR.slice("c"))?;
            // The limits of elements keep these within 32 bits.
            let distance = |shared: bool, rows: u32, columns: u32| if shared { 0 } else { rows.wrapping_mul(columns) };
            let sizes = kernel::Sizes {
                m,
                k,
                n,
                tiles_x: *tiles_x,
                first_of_a,
                first_of_b,
                first_of_c,
                line_of_a: if transposed[0] { m } else { k },
                line_of_b: if transposed[1] { k } else { n },
                batch_of_a: distance(shared[0], m, k),
                batch_of_b: distance(shared[1], k, n),
                zero_of_a: zeros[0].cast_unsigned(),
                zero_of_b: zeros[1].cast_unsigned(),
            };
            multiply.launch(kernel::Args { sizes, a, b, c }).to(destination.reborrow()).groups(*groups)?;
        }
        Ok(())
    }
}
