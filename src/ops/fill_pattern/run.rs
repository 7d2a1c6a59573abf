//! The commands of a fill with a pattern.

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::plan::Pass;
use super::{MAX_PERIOD, OPERATOR, PatternElement};
use crate::buffer::cells::cells_mut;
use crate::buffer::{SliceMut, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal, Resource};

crate::kernels!(mod kernel = "shaders/ops/fill_pattern.wgsl", root = "shaders");

/// The target and the pattern of a fill.
pub(super) struct Operands<'a, 'p, T> {
    pub(super) x: SliceMut<'a, T>,
    pub(super) pattern: &'p [T],
    /// The index in the pattern of the element that is written first; below the pattern's length.
    pub(super) phase: usize,
}

impl<T: PatternElement> Operands<'_, '_, T> {
    /// Checks the slice, the device of the destination, and that no guard is in use.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        self.x.range.get().map_err(OPERATOR.slice("x"))?;
        if let Err(refusal) = destination.check(&self.x.core.device) {
            return Err(OPERATOR.refused(&self.x.core.device, &["x"], refusal));
        }
        // The guards of a recording's buffers are checked when the recording is submitted.
        match self.x.core.guarded() {
            Some(guard) if !matches!(destination, Destination::Recording(_)) => Err(OPERATOR.in_use("x", guard)),
            _ => Ok(()),
        }
    }

    /// Appends the commands of a plan.
    pub(super) fn run(&self, plan: &Plan<Pass>, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        for pass in &plan.passes {
            match *pass {
                Pass::Word => self.by_word(destination.reborrow())?,
                Pass::Kernel { span, groups } => self.by_kernel(span, groups, destination.reborrow())?,
            }
        }
        Ok(())
    }

    fn by_word(&self, destination: Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination, &self.x, self.pattern[0]) {
            Err(BufferError::InUse { guard }) => Err(OPERATOR.in_use("x", guard)),
            Err(BufferError::Device { error, .. }) => {
                Err(OPERATOR.refused(&self.x.core.device, &["x"], Refusal::Device(error)))
            }
            outcome => outcome.map(drop).map_err(OPERATOR.slice("x")),
        }
    }

    fn by_kernel(&self, span: u32, groups: u64, destination: Destination<'_>) -> Result<(), OperationError> {
        let (x, first) = cells_mut::<T, u32>(&self.x).map_err(OPERATOR.slice("x"))?;
        let mut pattern = [[0; 4]; MAX_PERIOD];
        for (word, element) in pattern.iter_mut().zip(self.pattern) {
            word[0] = bytemuck::cast(*element);
        }
        // The operator's limit on the length keeps all counts within 32 bits.
        let [length, period, phase] = [self.x.len(), self.pattern.len(), self.phase].map(|count| count as u32);
        let sizes = kernel::Sizes { length, first, period, phase, span };
        let args = kernel::Args { sizes, pattern, x };
        kernel::fill_pattern(&Device::of(&self.x.core.device))?.launch(args).to(destination).groups([groups, 1])?;
        Ok(())
    }
}
