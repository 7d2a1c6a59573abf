//! What the machine can do, and what calls need.

use cranelift_codegen::ir::{
    AbiParam, ArgumentExtension, SigRef, Signature, StackSlot, StackSlotData, StackSlotKind, Type, types,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::FunctionBuilder;

/// What the machine can do, as far as it decides which instructions are chosen. Without these
/// features Cranelift would call library routines that do not exist here.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Target {
    /// The type of addresses.
    pub(in super::super) pointer: Type,
    /// How functions written in Rust are called.
    pub(in super::super) call_conv: CallConv,
    /// x86-64; else a machine with the instructions of aarch64.
    pub(super) x86: bool,
    /// Fused multiply-add.
    pub(super) fma: bool,
    /// Rounding of floats to integers: SSE4.1.
    pub(super) round: bool,
    /// Selection by the sign bits of a mask: SSE4.1, never on aarch64, which has better.
    pub(super) blend: bool,
    /// Permutation of bytes: SSSE3.
    pub(super) permute: bool,
}

impl Target {
    /// Whether other processors may see stores in another order than that of the code.
    pub(in super::super) fn reorders_stores(&self) -> bool {
        !self.x86
    }

    /// Of the machine that code is made for.
    pub(in super::super) fn new(isa: &dyn TargetIsa) -> Self {
        let x86 = isa.name() == "x64";
        Self {
            pointer: isa.pointer_type(),
            call_conv: isa.default_call_conv(),
            x86,
            fma: isa.has_native_fma(),
            round: isa.has_round(),
            blend: x86 && isa.has_blendv_lowering(types::I32X4),
            permute: !x86 || isa.has_x86_pshufb_lowering(),
        }
    }
}

/// Stack memory that calls pass lanes in: eight values of 64 bits.
const SLOT_BYTES: u32 = 64;

/// Signatures and stack memory of the calls in one function, made when first needed.
#[derive(Debug, Default)]
pub(in super::super) struct Calls {
    signatures: [Option<SigRef>; 3],
    slots: [Option<StackSlot>; 4],
}

/// A kind of function written in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `(out, a, b)`.
    Pair = 0,
    /// `(out, a, b, c)`.
    Triple = 1,
    /// `(out, a, lane, active, op)`.
    Subgroup = 2,
}

impl Calls {
    /// The signature of a kind of function.
    pub(super) fn signature(&mut self, b: &mut FunctionBuilder, target: &Target, shape: Shape) -> SigRef {
        *self.signatures[shape as usize].get_or_insert_with(|| {
            let (pointers, words) = match shape {
                Shape::Pair => (3, 0),
                Shape::Triple => (4, 0),
                Shape::Subgroup => (3, 2),
            };
            let mut signature = Signature::new(target.call_conv);
            signature.params.extend((0..pointers).map(|_| AbiParam::new(target.pointer)));
            // Some conventions want the unused half of a register filled; none forbids it.
            let word = AbiParam { extension: ArgumentExtension::Uext, ..AbiParam::new(types::I32) };
            signature.params.extend((0..words).map(|_| word));
            b.import_signature(signature)
        })
    }

    /// Stack memory for eight values. Calls reuse it: whoever called has read its result before
    /// anything else is called.
    pub(super) fn slot(&mut self, b: &mut FunctionBuilder, index: usize) -> StackSlot {
        *self.slots[index].get_or_insert_with(|| {
            b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, SLOT_BYTES, 4))
        })
    }
}
