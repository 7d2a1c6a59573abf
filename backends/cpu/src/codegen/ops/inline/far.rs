//! Rare lanes, whose results are those of a call.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};

use super::super::{Emit, Parts};
use crate::ir::Class;
use crate::math::LaneFunction;

impl Emit<'_, '_> {
    /// The results of `function`, which are `near` for arguments up to `limit`; beyond it, and for infinities, those of a
    /// call.
    pub(super) fn beyond(&mut self, function: LaneFunction, limit: f32, x: &[Value], near: &Parts) -> Parts {
        let limit = self.number(limit);
        let far = self.each(x, |emit, x| {
            let magnitude = emit.b.ins().fabs(x);
            let far = emit.b.ins().fcmp(FloatCC::GreaterThan, magnitude, limit);
            emit.cast(types::I32X4, far)
        });
        self.with_calls(&far, near, function, &[x])
    }

    /// The results `near`, and in the lanes of the mask `far` those of a call, which is left out if there are no such lanes.
    pub(super) fn with_calls(
        &mut self,
        far: &Parts,
        near: &Parts,
        function: LaneFunction,
        operands: &[&[Value]],
    ) -> Parts {
        let (slow, join) = (self.b.create_block(), self.b.create_block());
        let results: Parts = near.iter().map(|_| self.b.append_block_param(join, types::F32X4)).collect();
        let arguments = |parts: &Parts| parts.iter().map(|part| BlockArg::from(*part)).collect::<Vec<_>>();
        let any = self.any(far);
        self.b.ins().brif(any, slow, &[], join, &arguments(near));
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let called = self.called(function, Class::F32, operands);
        let chosen: Parts = (0..near.len()).map(|part| self.choose(far[part], called[part], near[part])).collect();
        self.b.ins().jump(join, &arguments(&chosen));
        self.b.switch_to_block(join);
        self.b.seal_block(join);
        results
    }
}
