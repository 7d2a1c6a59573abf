//! Conversions between scalars, lanes and memory; constants.

use cranelift_codegen::ir::{
    ConstantData, InstBuilder, InstructionData, MemFlagsData, Opcode, Type, Value, ValueDef, types,
};
use smallvec::SmallVec;

use super::{Emit, Parts};
use crate::emitter::Intrinsic;
use crate::ir::Class;

impl Emit<'_, '_> {
    /// Returns a copy of a scalar for each lane.
    pub(in super::super) fn splat(&mut self, class: Class, scalar: Value) -> Parts {
        let scalar = if class == Class::Bool { self.b.ins().bmask(types::I32, scalar) } else { scalar };
        let part = self.b.ins().splat(self.target.vector(class), scalar);
        Parts::from_elem(part, self.target.parts(class))
    }

    /// The value of one lane, as a scalar.
    pub(in super::super) fn lane(&mut self, class: Class, parts: &[Value], lane: usize) -> Value {
        let lanes_of_part = self.target.lanes / self.target.parts(class);
        let (part, lane) = (parts[lane / lanes_of_part], lane % lanes_of_part);
        let value = match self.known_lane(class, part, lane) {
            Some(value) => value,
            None => {
                let of_piece = lanes_of_part / self.target.pieces();
                let piece = self.piece(part, lane / of_piece);
                self.b.ins().extractlane(piece, (lane % of_piece) as u8)
            }
        };
        if class != Class::Bool {
            return value;
        }
        let value = self.b.ins().ireduce(types::I8, value);
        self.b.ins().band_imm_u(value, 1)
    }

    /// A lane of a vector that is a constant or has the same scalar in every lane.
    fn known_lane(&mut self, class: Class, part: Value, lane: usize) -> Option<Value> {
        match *self.definition(part)? {
            InstructionData::Unary { opcode: Opcode::Splat, arg } => Some(arg),
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                let bytes = class.bytes() as usize;
                let lane =
                    self.b.func.dfg.constants.get(constant_handle).as_slice().get(lane * bytes..)?.get(..bytes)?;
                let bits = little_endian(lane);
                Some(self.constant_scalar(if class == Class::Bool { Class::I32 } else { class }, bits))
            }
            _ => None,
        }
    }

    /// The 128 bits with a number of a vector, which are computed once in each block. The first ones need no instruction.
    fn piece(&mut self, part: Value, number: usize) -> Value {
        if number == 0 {
            return part;
        }
        let block = self.b.current_block();
        if let Some((of, piece)) = self.calls.pieces.get(&(part, number))
            && *of == block
        {
            return *piece;
        }
        let piece = self.intrinsic(Intrinsic::Piece(number as u8), &[part]);
        self.calls.pieces.insert((part, number), (block, piece));
        piece
    }

    /// Combines scalars into lanes.
    #[allow(clippy::wrong_self_convention, reason = "it is the lanes that become something else, not the emitter")]
    pub(in super::super) fn from_lanes(&mut self, class: Class, lanes: &[Value]) -> Parts {
        let ty = self.target.half(class);
        let halves: Parts = lanes
            .chunks(ty.lane_count() as usize)
            .map(|lanes| {
                let bool_to_word = |emit: &mut Self, lane| match class {
                    Class::Bool => emit.b.ins().uextend(types::I32, lane),
                    _ => lane,
                };
                let first = bool_to_word(self, lanes[0]);
                // The instructions after this one set all other lanes, so their first values do not matter.
                let mut part = match class {
                    Class::Bool | Class::I32 => self.b.ins().scalar_to_vector(ty, first),
                    _ => self.b.ins().splat(ty, first),
                };
                for (index, &lane) in lanes.iter().enumerate().skip(1) {
                    let lane = bool_to_word(self, lane);
                    part = self.b.ins().insertlane(part, lane, index as u8);
                }
                if class == Class::Bool { self.b.ins().ineg(part) } else { part }
            })
            .collect();
        self.joined(halves)
    }

    /// A constant in every lane; `bits` as in [`Inst::Const`](crate::ir::Inst::Const).
    pub(in super::super) fn constant(&mut self, class: Class, bits: u64) -> Parts {
        let bits = if class == Class::Bool { if bits & 1 == 1 { u64::MAX } else { 0 } } else { bits };
        let part = self.vector(self.target.vector(class), bits);
        Parts::from_elem(part, self.target.parts(class))
    }

    /// Constants of 32 bits, one for each lane.
    pub(in super::super) fn lanes_of(&mut self, lanes: impl IntoIterator<Item = u32>) -> Parts {
        let ty = self.integers();
        let lanes: SmallVec<[u32; 16]> = lanes.into_iter().collect();
        lanes
            .chunks(ty.lane_count() as usize)
            .map(|lanes| {
                let bytes: SmallVec<[u8; 32]> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
                self.vector_of_bytes(ty, &bytes)
            })
            .collect()
    }

    /// A constant as a scalar.
    pub(in super::super) fn constant_scalar(&mut self, class: Class, bits: u64) -> Value {
        use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
        match class {
            Class::Bool => self.b.ins().iconst(types::I8, (bits & 1) as i64),
            Class::I32 => self.b.ins().iconst(types::I32, i64::from(bits as u32)),
            Class::I64 => self.b.ins().iconst(types::I64, bits as i64),
            Class::F32 => self.b.ins().f32const(Ieee32::with_bits(bits as u32)),
            Class::F64 => self.b.ins().f64const(Ieee64::with_bits(bits)),
        }
    }

    /// Reads consecutive values, one for each lane; booleans are masks in memory too. The address needs no alignment.
    pub(in super::super) fn load_parts(&mut self, class: Class, address: Value, offset: i32) -> Parts {
        self.load_parts_by(MemFlagsData::new().with_notrap(), class, address, offset)
    }

    /// Like [`Self::load_parts`], with flags.
    pub(in super::super) fn load_parts_by(
        &mut self,
        flags: MemFlagsData,
        class: Class,
        address: Value,
        offset: i32,
    ) -> Parts {
        let (ty, bytes) = (self.target.vector(class), self.target.vector_bytes as i32);
        let parts = 0..self.target.parts(class) as i32;
        parts.map(|part| self.b.ins().load(ty, flags, address, offset + part * bytes)).collect()
    }

    /// Reads the first vectors of a value.
    pub(super) fn load_vectors(&mut self, class: Class, count: usize, address: Value) -> Parts {
        let (ty, bytes) = (self.target.vector(class), self.target.vector_bytes);
        let flags = MemFlagsData::new().with_notrap();
        (0..count as u32).map(|part| self.b.ins().load(ty, flags, address, (part * bytes) as i32)).collect()
    }

    /// Writes consecutive values, like [`Self::load_parts`].
    pub(in super::super) fn store_parts(&mut self, parts: &[Value], address: Value, offset: i32) {
        let flags = MemFlagsData::new().with_notrap();
        for (part, &value) in parts.iter().enumerate() {
            self.b.ins().store(flags, value, address, offset + (part as u32 * self.target.vector_bytes) as i32);
        }
    }

    /// A vector with the low bits of `bits` in every lane.
    pub(super) fn vector(&mut self, ty: Type, bits: u64) -> Value {
        let lane = &bits.to_le_bytes()[..ty.lane_type().bytes() as usize];
        self.vector_of_bytes(ty, &lane.repeat(ty.lane_count() as usize))
    }

    /// A vector of constant bytes, as many as the type has.
    pub(super) fn vector_of_bytes(&mut self, ty: Type, bytes: &[u8]) -> Value {
        let constant = self.b.func.dfg.constants.insert(ConstantData::from(bytes));
        self.b.ins().vconst(ty, constant)
    }

    /// The scalar that is in every lane; `None` if the instructions that define `parts` do not show that there is one.
    pub(super) fn uniform(&self, parts: &[Value]) -> Option<Value> {
        let scalars = |&part: &Value| match self.definition(part)? {
            InstructionData::Unary { opcode: Opcode::Splat, arg } => Some(self.b.func.dfg.resolve_aliases(*arg)),
            _ => None,
        };
        let first = scalars(parts.first()?)?;
        parts.iter().all(|part| scalars(part) == Some(first)).then_some(first)
    }

    /// The constant that is in every lane of integers; `None` if the instructions that define `parts` do not show it.
    pub(in super::super) fn uniform_constant(&self, class: Class, parts: &[Value]) -> Option<u64> {
        if let Some(scalar) = self.uniform(parts) {
            return self.scalar_constant(scalar);
        }
        let bytes = class.bytes() as usize;
        let constants = |&part: &Value| match self.definition(part)? {
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                let data = self.b.func.dfg.constants.get(*constant_handle).as_slice();
                let first = data.get(..bytes)?;
                data.chunks(bytes).all(|lane| lane == first).then(|| little_endian(first))
            }
            _ => None,
        };
        let first = constants(parts.first()?)?;
        parts.iter().all(|part| constants(part) == Some(first)).then_some(first)
    }

    /// The value of an integer constant, zero-extended; `None` if `scalar` is not one.
    pub(super) fn scalar_constant(&self, scalar: Value) -> Option<u64> {
        let InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } = self.definition(scalar)? else { return None };
        let bits = imm.bits() as u64;
        Some(if self.b.func.dfg.value_type(scalar) == types::I64 { bits } else { bits & 0xffff_ffff })
    }

    /// The instruction that defines a value; `None` for parameters of blocks.
    pub(super) fn definition(&self, value: Value) -> Option<&InstructionData> {
        let dfg = &self.b.func.dfg;
        match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) => Some(&dfg.insts[inst]),
            _ => None,
        }
    }
}

/// The number with these bytes, the lowest one first.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}
