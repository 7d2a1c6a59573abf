//! Operations on vectors of 256 bits that Cranelift's IR lacks: in the IR they are calls of [`Intrinsic`] functions.

use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, Signature, Type, UserExternalName, Value, types,
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
        Intrinsic::Join => with(first.lane_type(), 256),
        Intrinsic::Low | Intrinsic::High => with(first.lane_type(), 128),
        Intrinsic::Promote => types::F64X4,
        Intrinsic::Demote => types::F32X4,
        // Its operands are an address, indices, a mask, and the values where the mask is not set.
        Intrinsic::Gather(_) => operands[3],
        _ => first,
    }
}

/// The functions that stand for intrinsics in one function, by index and types.
pub(super) type Known = FxHashMap<(u32, SmallVec<[Type; 3]>), FuncRef>;

impl Emit<'_, '_> {
    /// Emits an intrinsic.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Value {
        let mut all: SmallVec<[Type; 3]> =
            operands.iter().map(|operand| self.b.func.dfg.value_type(*operand)).collect();
        all.push(result(intrinsic, &all));
        let index = intrinsic.number();
        let b = &mut *self.b;
        let function = *self.calls.intrinsics.entry((index, all)).or_insert_with_key(|(_, all)| {
            let mut signature = Signature::new(CallConv::Fast);
            let (result, operands) = all.split_last().unwrap_or((&types::INVALID, &[]));
            signature.params.extend(operands.iter().copied().map(AbiParam::new));
            signature.returns.push(AbiParam::new(*result));
            let signature = b.import_signature(signature);
            let name = UserExternalName { namespace: NAMESPACE, index };
            let name = ExternalName::user(b.func.declare_imported_user_function(name));
            b.import_function(ExtFuncData { name, signature, colocated: true, patchable: false })
        });
        let call = self.b.ins().call(function, operands);
        self.b.inst_results(call)[0]
    }
}
