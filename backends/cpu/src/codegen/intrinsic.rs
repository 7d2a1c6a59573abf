//! Operations on vectors of more than 128 bits that Cranelift's IR lacks: in the IR they are calls of [`Intrinsic`] functions.

use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, Inst, InstBuilder, Signature, Type, UserExternalName, Value, types,
};
use cranelift_codegen::isa::CallConv;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ops::Emit;
use crate::emitter::{Intrinsic, NAMESPACE};

/// The type of the result for operands of these types.
fn result(intrinsic: Intrinsic, operands: &[Type]) -> Type {
    let first = operands[0];
    let with = |lane: Type, bits: u32| lane.by(bits / lane.bits()).unwrap_or(types::INVALID);
    match intrinsic {
        Intrinsic::Join => with(first.lane_type(), 2 * first.bits()),
        Intrinsic::Half(_) => with(first.lane_type(), first.bits() / 2),
        Intrinsic::Piece(_) => with(first.lane_type(), 128),
        Intrinsic::Promote => with(types::F64, 2 * first.bits()),
        Intrinsic::Demote => with(types::F32, first.bits() / 2),
        // Its operands are an address, indices, a mask, and the values where the mask is not set.
        Intrinsic::Gather(_) => operands[3],
        _ => first,
    }
}

/// The functions that stand for intrinsics in one function, by index and types.
pub(super) type Known = FxHashMap<(u32, SmallVec<[Type; 3]>), FuncRef>;

impl Emit<'_, '_> {
    /// Emits an intrinsic with a result.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Value {
        let call = self.call_intrinsic(intrinsic, operands);
        self.b.inst_results(call)[0]
    }

    /// Writes lanes of 32 bits to `base + index`, where the mask is set.
    pub(super) fn scatter(&mut self, base: Value, index: Value, mask: Value, value: Value) {
        self.call_intrinsic(Intrinsic::Scatter(0), &[base, index, mask, value]);
    }

    fn call_intrinsic(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Inst {
        let mut all: SmallVec<[Type; 3]> =
            operands.iter().map(|operand| self.b.func.dfg.value_type(*operand)).collect();
        all.push(if intrinsic.writes() { types::INVALID } else { result(intrinsic, &all) });
        let index = intrinsic.number();
        let b = &mut *self.b;
        let function = *self.calls.intrinsics.entry((index, all)).or_insert_with_key(|(_, all)| {
            let mut signature = Signature::new(CallConv::Fast);
            let (result, operands) = all.split_last().unwrap_or((&types::INVALID, &[]));
            signature.params.extend(operands.iter().copied().map(AbiParam::new));
            signature.returns.extend((!result.is_invalid()).then(|| AbiParam::new(*result)));
            let signature = b.import_signature(signature);
            let name = UserExternalName { namespace: NAMESPACE, index };
            let name = ExternalName::user(b.func.declare_imported_user_function(name));
            b.import_function(ExtFuncData { name, signature, colocated: true, patchable: false })
        });
        self.b.ins().call(function, operands)
    }
}
