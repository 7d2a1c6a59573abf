//! The evaluation of instructions: a result is one scalar for all lanes, or vectors.

use cranelift_codegen::ir::{self as cl, InstBuilder};

use super::super::analysis::{Form, known_comparison, known_lanes};
use super::super::ops::Parts;
use super::Generator;
use crate::abi::LANES;
use crate::ir::{BinaryOp, Class, CompareOp, Inst, SubgroupOp, Value};

impl Generator<'_, '_> {
    /// Evaluates the instruction of a value.
    pub(in crate::codegen) fn evaluate(&mut self, value: Value) {
        let function = self.function;
        let class = function.class(value);
        let uniform = self.form(value) != Form::Varying;
        match function.inst(value) {
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Part { .. } => {}
            Inst::Read(var) => self.read(value, *var),
            Inst::Load(place, ty, count) => self.load(value, place, *ty, *count),
            Inst::Atomic { op, place, ty, value: operand, compare } => {
                self.atomic(value, *op, place, *ty, *operand, *compare);
            }
            Inst::Subgroup(op, operand, lane) => self.subgroup(value, *op, *operand, *lane),
            inst if uniform => {
                let result = self.evaluate_scalar(class, inst);
                self.hold_scalar(value, result);
            }
            inst => {
                let result = self.evaluate_lanes(class, inst);
                self.hold_lanes(value, result);
                self.hold_likely(value, inst);
                self.hold_agreement(value, inst);
            }
        }
    }

    fn evaluate_scalar(&mut self, class: Class, inst: &Inst) -> cl::Value {
        match *inst {
            Inst::Unary(op, a) => {
                let a = self.scalar(a);
                self.emit().unary_scalar(op, class, a)
            }
            Inst::Binary(op, a, b) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().binary_scalar(op, class, a, b)
            }
            Inst::Ternary(op, a, b, c) => {
                let (a, b, c) = (self.scalar(a), self.scalar(b), self.scalar(c));
                self.emit().ternary_scalar(op, class, a, b, c)
            }
            Inst::Compare(op, a, b) => {
                let of = self.function.class(a);
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().compare_scalar(op, of, a, b)
            }
            Inst::Select(c, a, b) => {
                let (c, a, b) = (self.scalar(c), self.scalar(a), self.scalar(b));
                self.emit().select_scalar(c, a, b)
            }
            Inst::Convert(convert, a) => {
                let a = self.scalar(a);
                self.emit().convert_scalar(convert, a)
            }
            Inst::Call(function, a, b) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().call_scalar(function, class, a, b)
            }
            _ => self.emit().constant_scalar(class, 0),
        }
    }

    fn evaluate_lanes(&mut self, class: Class, inst: &Inst) -> Parts {
        match *inst {
            Inst::Unary(op, a) => {
                let a = self.lanes(a);
                self.emit().unary(op, class, &a)
            }
            Inst::Binary(op @ (BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU), a, b) if self.is_uniform(b) => {
                let (a, by) = (self.lanes(a), self.scalar(b));
                self.emit().shift_by_scalar(op, class, &a, by)
            }
            Inst::Binary(op @ (BinaryOp::DivU | BinaryOp::RemU), a, b)
                if class == Class::I32 && self.known(b).is_some_and(u64::is_power_of_two) =>
            {
                let (a, by) = (self.lanes(a), self.known(b).unwrap_or(1));
                if op == BinaryOp::RemU {
                    let mask = self.emit().constant(class, by - 1);
                    return self.emit().binary(BinaryOp::And, class, &a, &mask);
                }
                let by = self.emit().constant_scalar(class, u64::from(by.trailing_zeros()));
                self.emit().shift_by_scalar(BinaryOp::ShrU, class, &a, by)
            }
            Inst::Binary(op, a, b) => {
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().binary(op, class, &a, &b)
            }
            Inst::Ternary(op, a, b, c) => {
                let (a, b, c) = (self.lanes(a), self.lanes(b), self.lanes(c));
                self.emit().ternary(op, class, &a, &b, &c)
            }
            Inst::Compare(op, a, b) => {
                if let Some(known) = known_comparison(self.function, op, a, b) {
                    return self.emit().known_mask(|lane| known[lane % LANES]);
                }
                let of = self.function.class(a);
                if of == Class::I32 && matches!(op, CompareOp::LtU | CompareOp::LeU) {
                    return self.compare_unsigned(op, a, b);
                }
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().compare(op, of, &a, &b)
            }
            Inst::Select(c, a, b) => {
                let (c, a, b) = (self.lanes(c), self.lanes(a), self.lanes(b));
                self.emit().select(class, &c, &a, &b)
            }
            Inst::Convert(convert, a) => {
                let a = self.lanes(a);
                self.emit().convert(convert, &a)
            }
            Inst::Call(function, a, b) => {
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().call(function, class, &a, &b)
            }
            _ => self.emit().constant(class, 0),
        }
    }

    /// Compares unsigned integers of 32 bits in lanes. On x86-64 vectors are compared as signed integers in one
    /// instruction, and as unsigned ones by a minimum or maximum, a test for equality and, for `<`, a negation.
    fn compare_unsigned(&mut self, op: CompareOp, a: Value, b: Value) -> Parts {
        let bounded = |value: Value| self.facts.shapes[value.0 as usize].bound <= i32::MAX.cast_unsigned();
        let spread = |value: Value| self.facts.shapes[value.0 as usize].stride().is_some();
        let (mut op, of) = (op, Class::I32);
        let (left, right) = match (op, self.known(a), self.known(b)) {
            _ if self.target.compares_unsigned() => (self.lanes(a), self.lanes(b)),
            (CompareOp::LtU, ..) if bounded(a) && bounded(b) => {
                op = CompareOp::LtS;
                (self.lanes(a), self.lanes(b))
            }
            // `a < limit` is `a <= limit - 1`.
            (CompareOp::LtU, _, Some(limit @ 1..)) => {
                op = CompareOp::LeU;
                (self.lanes(a), self.emit().constant(of, limit - 1))
            }
            (CompareOp::LtU, Some(limit), _) if limit < u64::from(u32::MAX) => {
                op = CompareOp::LeU;
                (self.emit().constant(of, limit + 1), self.lanes(b))
            }
            // Addition of 2^31 maps the order of unsigned integers to that of signed ones. For a value that is uniform or
            // linear, it is a scalar operation.
            (CompareOp::LtU, ..) if spread(a) || spread(b) => {
                op = CompareOp::LtS;
                (self.lanes_from_least(a), self.lanes_from_least(b))
            }
            _ => (self.lanes(a), self.lanes(b)),
        };
        self.emit().compare(op, of, &left, &right)
    }

    /// The lanes of an integer plus 2^31.
    fn lanes_from_least(&mut self, value: Value) -> Parts {
        const LEAST: u64 = 1 << 31;
        let form = self.form(value);
        if form != Form::Varying {
            let scalar = self.scalar(value);
            let least = self.emit().constant_scalar(Class::I32, LEAST);
            let scalar = self.b.ins().bxor(scalar, least);
            return self.spread(Class::I32, form, scalar);
        }
        let (lanes, least) = (self.lanes(value), self.emit().constant(Class::I32, LEAST));
        self.emit().binary(BinaryOp::Xor, Class::I32, &lanes, &least)
    }

    fn subgroup(&mut self, value: Value, op: SubgroupOp, operand: Value, lane: Option<Value>) {
        let class = self.function.class(operand);
        if self.function.is_serial() {
            let own = self.scalar(operand);
            let result = self.emit().subgroup_of_one(op, class, own);
            return self.hold_scalar(value, result);
        }
        let parts = self.lanes(operand);
        if let Some(lanes) = lane.and_then(|lane| known_lanes(self.function, lane)) {
            if self.form(value) != Form::Varying {
                let scalar = self.emit().lane(class, &parts, usize::from(lanes[0]));
                return self.hold_scalar(value, scalar);
            }
            if let Some(result) = self.emit().rearranged(class, lanes, &parts) {
                return self.hold_lanes(value, result);
            }
        }
        let lane = lane.map(|lane| self.lanes(lane));
        let mask = self.mask();
        let result = self.emit().subgroup(op, class, &parts, lane.as_deref(), &mask);
        // Any active lane has the uniform result; inactive lanes have arbitrary values.
        if self.form(value) == Form::Varying || !self.is_masked() {
            self.hold_lanes(value, result);
        } else {
            let class = self.function.class(value);
            let bits = self.emit().bits(&mask);
            let first = self.first_lane(bits);
            let scalar = self.lane_at(class, &result, first);
            self.hold_scalar(value, scalar);
        }
    }
}
