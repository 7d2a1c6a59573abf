//! Constants: the values that are known, and their ways into registers and operands.

use cranelift_codegen::ir::{InstructionData, Opcode, Type, Value};

use smallvec::SmallVec;

use super::values::load_op;
use super::{Lower, is_in_vector, is_longest, length_of};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Base, Mem, Reg, Rm};

/// The bytes of a constant: at most those of the longest vector.
type Bytes = SmallVec<[u8; 64]>;

impl Lower<'_> {
    /// Loads a constant to a vector register.
    pub(super) fn load_constant(&mut self, ty: Type, bytes: &[u8]) -> Reg {
        let to = self.new_vector();
        if bytes.iter().all(|byte| *byte == 0) {
            self.push(Inst::Own { op: op::VPXOR, length: Length::Xmm, to, imm: None });
        } else if bytes.iter().all(|byte| *byte == u8::MAX) && is_longest(ty) {
            self.push(Inst::Own { op: op::VPTERNLOGD, length: Length::Zmm, to, imm: Some(0xff) });
        } else if bytes.iter().all(|byte| *byte == u8::MAX) {
            self.push(Inst::Own { op: op::VPCMPEQD, length: length_of(ty), to, imm: None });
        } else {
            let b = Rm::Mem(self.constant_memory(bytes));
            self.push(Inst::V { op: load_op(ty), length: length_of(ty), to, a: None, b, c: None, imm: None });
        }
        to
    }

    /// The memory of a constant.
    pub(super) fn constant_memory(&mut self, bytes: &[u8]) -> Mem {
        Mem::at(Base::Constant(self.pool.place(bytes)))
    }

    /// A constant vector in memory, with the same bits in each lane.
    pub(super) fn each_lane(&mut self, ty: Type, bits: u64) -> Rm {
        let lane = ty.lane_type().bytes() as usize;
        // Instructions on scalars that work on bits read a whole register.
        let bytes = ty.bytes().max(16) as usize;
        let bytes: Bytes = (0..bytes).map(|byte| bits.to_le_bytes()[byte % lane]).collect();
        Rm::Mem(self.constant_memory(&bytes))
    }

    pub(super) fn zero(&mut self) -> Reg {
        let to = self.new_vector();
        self.push(Inst::Own { op: op::VPXOR, length: Length::Xmm, to, imm: None });
        to
    }

    /// An integer constant, zero-extended.
    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        let inst = self.definition(value)?;
        let InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } = self.func.dfg.insts[inst] else { return None };
        let unused = 64 - self.type_of(value).bits();
        Some(imm.bits().cast_unsigned() << unused >> unused)
    }

    /// A constant that fits in an instruction on integers of the value's type.
    pub(super) fn immediate(&self, value: Value) -> Option<i32> {
        let bits = self.constant(value)?;
        match self.type_of(value).bits() {
            64 => i32::try_from(bits.cast_signed()).ok(),
            8 => Some(i32::from(bits as i8)),
            16 => Some(i32::from(bits as i16)),
            _ => Some(bits as i32),
        }
    }

    /// The bytes of a constant float or vector.
    pub(super) fn vector_constant(&self, value: Value) -> Option<Bytes> {
        let bytes = self.type_of(value).bytes() as usize;
        let inst = self.definition(value)?;
        let dfg = &self.func.dfg;
        let mut found = match dfg.insts[inst] {
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                Bytes::from_slice(dfg.constants.get(constant_handle).as_slice())
            }
            InstructionData::UnaryIeee32 { imm, .. } => Bytes::from_slice(&imm.bits().to_le_bytes()),
            InstructionData::UnaryIeee64 { imm, .. } => Bytes::from_slice(&imm.bits().to_le_bytes()),
            InstructionData::Unary { opcode: Opcode::Splat, arg } => {
                let lane = self.scalar_bits(arg)?.to_le_bytes();
                let size = self.type_of(arg).bytes() as usize;
                (0..self.type_of(self.root(value)).bytes() as usize).map(|byte| lane[byte % size]).collect()
            }
            InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } => {
                Bytes::from_slice(&self.constant(arg)?.to_le_bytes()[..bytes.min(8)])
            }
            _ => return None,
        };
        found.truncate(bytes);
        (found.len() == bytes).then_some(found)
    }

    /// The bits of a constant scalar.
    fn scalar_bits(&self, value: Value) -> Option<u64> {
        if !is_in_vector(self.type_of(value)) {
            return self.constant(value);
        }
        let bytes = self.vector_constant(value)?;
        Some(bytes.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }
}
