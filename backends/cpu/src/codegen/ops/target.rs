//! The capabilities of the machine, and the requirements of calls.

use cranelift_codegen::ir::{
    AbiParam, ArgumentExtension, Block, SigRef, Signature, StackSlot, StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use super::super::lanes::Vectors;
use crate::ir::Class;
use crate::math::Functions;

/// The capabilities of the machine that decide which instructions are emitted. Without these features Cranelift would
/// call library routines that do not exist here.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Target {
    /// The type of addresses.
    pub(in super::super) pointer: Type,
    /// The calling convention of functions written in Rust.
    pub(in super::super) call_conv: CallConv,
    /// Whether the machine is x86-64; otherwise it has the instructions of aarch64.
    pub(super) x86: bool,
    /// Whether fused multiply-add is an instruction.
    pub(super) fma: bool,
    /// Whether rounding a float to an integer is an instruction; on x86-64 it needs SSE4.1.
    pub(super) round: bool,
    /// Whether to select by the sign bits of a mask, which needs SSE4.1; never on aarch64, which has a better
    /// instruction.
    pub(super) blend: bool,
    /// Whether any permutation of bytes is an instruction; on x86-64 it needs SSSE3.
    pub(super) permute: bool,
    /// Whether functions are inline where the machine has the instructions for them.
    pub(super) inline: bool,
    /// The size of vectors in bytes: 16, 32 or 64.
    pub(in super::super) vector_bytes: u32,
    /// The number of lanes of a group: 8 or 16; always 16 with vectors of 512 bits, never with those of 128 bits.
    pub(in super::super) lanes: usize,
    /// Whether one instruction reads the scalars of all lanes; never for vectors of 128 bits.
    pub(in super::super) gathers: bool,
}

impl Target {
    /// Whether other processors may see stores in an order other than program order.
    pub(in super::super) fn reorders_stores(&self) -> bool {
        !self.x86
    }

    /// Whether comparisons of unsigned integers in vectors are one instruction.
    pub(in super::super) fn compares_unsigned(&self) -> bool {
        !self.x86 || self.vector_bytes == 64
    }

    /// Whether one instruction writes the scalars of all lanes, faster than a write for each.
    pub(in super::super) fn scatters(&self) -> bool {
        self.gathers && self.vector_bytes == 64
    }

    /// Whether vectors have more than 128 bits.
    pub(in super::super) fn is_wide(&self) -> bool {
        self.vector_bytes > 16
    }

    /// The number of pieces of 128 bits of a vector.
    pub(in super::super) fn pieces(&self) -> usize {
        self.vector_bytes as usize / 16
    }

    /// The machine type of each vector of a value in all lanes.
    pub(in super::super) fn vector(&self, class: Class) -> Type {
        let lane = match class {
            Class::Bool | Class::I32 => types::I32,
            Class::I64 => types::I64,
            Class::F32 => types::F32,
            Class::F64 => types::F64,
        };
        lane.by(self.vector_bytes / lane.bytes()).unwrap_or(types::INVALID)
    }

    /// The machine type of a vector of 128 bits.
    pub(in super::super) fn half(&self, class: Class) -> Type {
        Self { vector_bytes: 16, ..*self }.vector(class)
    }

    /// The number of vectors of a value in all lanes.
    pub(in super::super) fn parts(&self, class: Class) -> usize {
        (self.lanes as u32 * class.bytes() / self.vector_bytes) as usize
    }

    /// Returns the capabilities of the target of code generation.
    pub(in super::super) fn new(isa: &dyn TargetIsa, functions: Functions, vectors: Vectors) -> Self {
        let x86 = isa.name() == "x64";
        Self {
            pointer: isa.pointer_type(),
            call_conv: call_conv(isa),
            x86,
            fma: isa.has_native_fma(),
            round: isa.has_round(),
            blend: x86 && isa.has_blendv_lowering(types::I32X4),
            permute: !x86 || isa.has_x86_pshufb_lowering(),
            inline: functions == Functions::Fast,
            vector_bytes: vectors.bytes,
            lanes: vectors.lanes,
            // Unit tests run it on every processor.
            gathers: vectors.bytes > 16 && (super::super::isa::gathers_fast() || cfg!(test)),
        }
    }
}

/// The calling convention of [`convention`](crate::abi::convention).
pub(crate) fn call_conv(isa: &dyn TargetIsa) -> CallConv {
    if isa.name() == "x64" { CallConv::SystemV } else { isa.default_call_conv() }
}

/// The size of the stack memory for lanes passed to calls, in bytes: eight values of 64 bits.
const SLOT_BYTES: u32 = 64;

/// Signatures and stack memory of the calls in one function, created at first use.
#[derive(Debug, Default)]
pub(in super::super) struct Calls {
    signatures: [Option<SigRef>; 3],
    slots: [Option<StackSlot>; 4],
    /// The functions that stand for intrinsics.
    pub(in super::super) intrinsics: super::super::intrinsic::Known,
    /// Pieces of vectors by their numbers, and the block in which each was computed.
    pub(in super::super) pieces: FxHashMap<(Value, usize), (Option<Block>, Value)>,
}

/// The parameters of a function written in Rust that kernels call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The parameters `(out, a, b)`.
    Pair = 0,
    /// The parameters `(out, a, b, c)`.
    Triple = 1,
    /// The parameters `(out, a, lane, active, op)`.
    Subgroup = 2,
}

impl Calls {
    /// Returns the signature of functions with these parameters.
    pub(super) fn signature(&mut self, b: &mut FunctionBuilder, target: &Target, shape: Shape) -> SigRef {
        *self.signatures[shape as usize].get_or_insert_with(|| {
            let (pointers, words) = match shape {
                Shape::Pair => (3, 0),
                Shape::Triple => (4, 0),
                Shape::Subgroup => (3, 2),
            };
            let mut signature = Signature::new(target.call_conv);
            signature.params.extend((0..pointers).map(|_| AbiParam::new(target.pointer)));
            // Some calling conventions require that the upper half of the register is zero; none forbids it.
            let word = AbiParam { extension: ArgumentExtension::Uext, ..AbiParam::new(types::I32) };
            signature.params.extend((0..words).map(|_| word));
            b.import_signature(signature)
        })
    }

    /// Returns stack memory for eight values. Calls reuse it: each caller reads its result before the next call.
    pub(super) fn slot(&mut self, b: &mut FunctionBuilder, index: usize) -> StackSlot {
        *self.slots[index].get_or_insert_with(|| {
            b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, SLOT_BYTES, 4))
        })
    }
}
