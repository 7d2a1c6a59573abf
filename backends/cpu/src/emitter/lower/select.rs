//! Selection of one of two values by a scalar condition.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};

use super::compare::predicate;
use super::{Lower, is_in_vector, size_of};
use crate::emitter::inst::Inst;
use crate::emitter::op::{self, Length};
use crate::emitter::reg::{Cond, Rm};

impl Lower<'_> {
    pub(super) fn select(&mut self, inst: ir::Inst) -> Result<(), String> {
        let [condition, yes, no] = self.argument(inst);
        let ty = self.result_type(inst);
        let to = self.result(inst);
        if is_in_vector(ty) {
            if self.select_by_mask(inst) {
                return Ok(());
            }
            let (yes, no) = if self.predicates.contains(&self.func.dfg.first_result(inst)) {
                (self.predicate(yes), self.predicate(no))
            } else {
                (self.reg(yes), self.reg(no))
            };
            let cond = self.condition(condition)?;
            self.push(Inst::MoveVector { cond, to, a: no, b: yes });
            return Ok(());
        }
        let size = size_of(ty);
        let (yes, no) = (self.reg(yes), self.reg(no));
        match self.condition(condition)? {
            Cond::If(cc) => self.push(Inst::Move { cc, size, to, a: no, b: Rm::Any(yes) }),
            Cond::Either(first, second) => {
                let between = self.new_int();
                self.push(Inst::Move { cc: first, size, to: between, a: no, b: Rm::Any(yes) });
                self.push(Inst::Move { cc: second, size, to, a: between, b: Rm::Any(yes) });
            }
            Cond::Both(first, second) => {
                let between = self.new_int();
                self.push(Inst::Move { cc: first.not(), size, to: between, a: yes, b: Rm::Any(no) });
                self.push(Inst::Move { cc: second.not(), size, to, a: between, b: Rm::Any(no) });
            }
        }
        Ok(())
    }

    /// Selects between scalar floats by a comparison of floats of the same size: by instructions on masks, without a
    /// branch, or by a minimum or maximum.
    fn select_by_mask(&mut self, inst: ir::Inst) -> bool {
        let [condition, yes, no] = self.argument(inst);
        let ty = self.result_type(inst);
        if ty.is_vector() || !self.is_used_once(condition) {
            return false;
        }
        let Some(compare) = self.definition(condition) else { return false };
        let InstructionData::FloatCompare { opcode: Opcode::Fcmp, args: [x, y], cond } = self.func.dfg.insts[compare]
        else {
            return false;
        };
        if self.type_of(x) != ty {
            return false;
        }
        let to = self.result(inst);
        let single = ty == types::F32;
        if let Some((minimum, a, b)) = self.extremum_of(cond, [x, y], [yes, no]) {
            let op = match (minimum, single) {
                (true, true) => op::VMINSS,
                (true, false) => op::VMINSD,
                (false, true) => op::VMAXSS,
                (false, false) => op::VMAXSD,
            };
            let a = self.reg(a);
            let b = self.rm(b);
            self.v_to(to, op, Length::Xmm, a, b);
            return true;
        }
        let op = if single { op::VCMPSS } else { op::VCMPSD };
        let x = self.reg(x);
        let y = self.rm(y);
        let mask = self.v_imm(op, Length::Xmm, x, y, predicate(cond));
        // The instruction reads 128 bits, so the operand is in a register.
        let (yes, no) = (self.reg(yes), self.reg(no));
        let op = if single { op::VBLENDVPS } else { op::VBLENDVPD };
        self.blend_to(to, op, Length::Xmm, no, Rm::Any(yes), mask);
        true
    }

    /// The operands of the minimum or maximum instruction that equals a selection by a comparison: it returns the second
    /// operand if the first one is not less (greater), and so for NaN and zeros.
    pub(super) fn extremum_of(
        &self,
        cond: FloatCC,
        [x, y]: [ir::Value; 2],
        [yes, no]: [ir::Value; 2],
    ) -> Option<(bool, ir::Value, ir::Value)> {
        let [x, y, yes, no] = [x, y, yes, no].map(|value| self.root(value));
        match cond {
            FloatCC::LessThan if [x, y] == [yes, no] => Some((true, yes, no)),
            FloatCC::GreaterThan if [y, x] == [yes, no] => Some((true, yes, no)),
            FloatCC::GreaterThan if [x, y] == [yes, no] => Some((false, yes, no)),
            FloatCC::LessThan if [y, x] == [yes, no] => Some((false, yes, no)),
            _ => None,
        }
    }
}
