//! Logic of three vectors of 512 bits, and rotations: one instruction for two or three of Cranelift's.

use cranelift_codegen::ir::{self, Opcode, Value};

use super::{Lower, is_longest};
use crate::codegen::Stand;
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Reg, Rm};

/// The results of an operand for each of the eight combinations of bits, as the instruction numbers them.
const FIRST: u8 = 0xf0;
const SECOND: u8 = 0xcc;
const THIRD: u8 = 0xaa;

/// An operation on bits.
#[derive(Clone, Copy)]
enum Logic {
    And,
    Or,
    Xor,
}

impl Logic {
    fn of(opcode: Opcode) -> Option<Self> {
        match opcode {
            Opcode::Band => Some(Self::And),
            Opcode::Bor => Some(Self::Or),
            Opcode::Bxor => Some(Self::Xor),
            _ if Stand::of(opcode) == Some(Stand::Xor) => Some(Self::Xor),
            _ => None,
        }
    }

    fn apply(self, a: u8, b: u8) -> u8 {
        match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        }
    }
}

impl Lower<'_> {
    /// Selects an operation on bits together with those of its operands, if one instruction does both.
    pub(super) fn ternary(&mut self, opcode: Opcode, to: Reg, inst: ir::Inst) -> bool {
        let Some(outer) = Logic::of(opcode) else { return false };
        let [a, b] = self.argument(inst);
        if matches!(outer, Logic::Or) && self.rotation(to, a, b) {
            return true;
        }
        for (inner, other) in [(a, b), (b, a)] {
            if self.vector_constant(other).is_some() {
                continue;
            }
            let Some((logic, [x, y])) = self.logic_here(inner) else { continue };
            // An inversion of an operand is part of the table.
            let mut tables = [FIRST, SECOND, THIRD];
            let mut operands = [x, y, other];
            for (operand, table) in operands.iter_mut().zip(&mut tables) {
                if let Some(inverse) = self.inverted(*operand).filter(|_| self.is_here(*operand)) {
                    (*operand, *table) = (inverse, !*table);
                }
            }
            let table = outer.apply(logic.apply(tables[0], tables[1]), tables[2]);
            self.ternary_of(to, operands, table);
            return true;
        }
        false
    }

    /// Selects the bits of `yes` where those of the mask are set, otherwise those of `no`.
    pub(super) fn bitselect_by_one(
        &mut self,
        inst: ir::Inst,
        mask: Value,
        yes: Value,
        no: Value,
    ) -> Result<(), String> {
        let to = self.result(inst);
        self.ternary_of(to, [mask, yes, no], FIRST & SECOND | !FIRST & THIRD);
        Ok(())
    }

    fn ternary_of(&mut self, to: Reg, [a, b, c]: [Value; 3], table: u8) {
        let a = self.reg(a);
        let b = self.reg(b);
        let c = self.rm(c);
        self.push(Inst::Fused { op: op::VPTERNLOGD, length: Length::Zmm, to, a, b, c, imm: Some(table) });
    }

    /// The operation on bits in the current block that only the current instruction uses.
    fn logic_here(&self, value: Value) -> Option<(Logic, [Value; 2])> {
        let inst = self.definition(value)?;
        if !self.is_used_once(value) || !self.is_here(value) || self.is_predicate(value) {
            return None;
        }
        let logic = Logic::of(self.func.dfg.insts[inst].opcode())?;
        is_longest(self.type_of(self.root(value))).then(|| (logic, self.argument(inst)))
    }

    /// Selects a rotation: the disjunction of shifts of the same value whose amounts have the sum of 32.
    fn rotation(&mut self, to: Reg, a: Value, b: Value) -> bool {
        for (left, right) in [(a, b), (b, a)] {
            if let Some([x, by]) = self.made_by::<2>(Opcode::Ishl, left)
                && let Some([y, back]) = self.made_by::<2>(Opcode::Ushr, right)
                && self.type_of(x).lane_bits() == 32
                && self.root(x) == self.root(y)
                && let (Some(by), Some(back)) = (self.constant(by), self.constant(back))
                && by + back == 32
            {
                let x = self.reg(x);
                self.v1_to(to, op::VPROLD_IMM, Length::Zmm, Rm::Reg(x), Some(by as u8));
                return true;
            }
        }
        false
    }
}
