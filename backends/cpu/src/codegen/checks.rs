//! Reports to the checker: calls of [`crate::reports::report`]. Only checked and observed kernels have any.

use cranelift_codegen::ir::{self as cl, InstBuilder, types};

use super::generator::Generator;
use super::helper::Helper;
use crate::abi::LANES;
use crate::ir::{Check, MAX_INDICES};

/// The state that all reports of a kernel share.
#[derive(Clone, Copy)]
pub(super) struct Reports {
    signature: cl::SigRef,
    /// Memory for the operands, eight lanes of 32 bits each.
    operands: cl::StackSlot,
}

impl Generator<'_, '_> {
    /// Calls the receiver of reports, with the operands in all lanes and the mask of active lanes.
    pub(super) fn check(&mut self, check: &Check) {
        let reports = self.reports();
        let start = self.b.ins().stack_addr(self.target.pointer, reports.operands, 0);
        for (index, value) in check.operands.iter().take(MAX_INDICES).enumerate() {
            let parts = self.lanes(*value);
            self.emit().store_parts(&parts, start, (index * LANES * 4) as i32);
        }
        let mask = self.mask();
        let active = self.emit().bits(&mask);
        let group = self.scalar(check.group);
        let number = self.b.ins().iconst(types::I32, i64::from(check.number));
        let arguments = [self.constants.frame, number, group, active, start];
        Helper::Report.call(&mut self.b, self.target.pointer, reports.signature, &arguments);
    }

    fn reports(&mut self) -> Reports {
        if let Some(reports) = self.reports {
            return reports;
        }
        let word = cl::AbiParam { extension: cl::ArgumentExtension::Uext, ..cl::AbiParam::new(types::I32) };
        let pointer = cl::AbiParam::new(self.target.pointer);
        let mut signature = cl::Signature::new(self.target.call_conv);
        signature.params.extend([pointer, word, word, word, pointer]);
        let bytes = (MAX_INDICES * LANES * 4) as u32;
        let slot = cl::StackSlotData::new(cl::StackSlotKind::ExplicitSlot, bytes, 4);
        let reports =
            Reports { signature: self.b.import_signature(signature), operands: self.b.create_sized_stack_slot(slot) };
        *self.reports.insert(reports)
    }
}
