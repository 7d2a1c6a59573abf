//! Calls of the functions of [`crate::math`], and fused multiply-add.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::helper::Helper;
use super::target::Shape;
use super::{Emit, Parts};
use crate::abi::LANES;
use crate::ir::{Class, TernaryOp};
use crate::math::LaneFunction;

impl Emit<'_, '_> {
    /// Emits an operation on three operands.
    pub(in super::super) fn ternary(
        &mut self,
        op: TernaryOp,
        class: Class,
        a: &[Value],
        b: &[Value],
        c: &[Value],
    ) -> Parts {
        let TernaryOp::Fma = op;
        if self.target.fma {
            return (0..a.len()).map(|part| self.b.ins().fma(a[part], b[part], c[part])).collect();
        }
        let function = if class == Class::F32 { LaneFunction::FmaF32 } else { LaneFunction::FmaF64 };
        self.call_on(function, Shape::Triple, class, &[a, b, c])
    }

    /// Emits an operation on three scalars.
    pub(in super::super) fn ternary_scalar(
        &mut self,
        op: TernaryOp,
        class: Class,
        a: Value,
        b: Value,
        c: Value,
    ) -> Value {
        if self.target.fma {
            return self.b.ins().fma(a, b, c);
        }
        let [a, b, c] = [a, b, c].map(|scalar| self.splat(class, scalar));
        let out = self.ternary(op, class, &a, &b, &c);
        self.lane(class, &out, 0)
    }

    /// Emits a function of [`crate::math`] on lanes, inline or as a call. `b` is not used if the function has one operand.
    pub(in super::super) fn call(&mut self, function: LaneFunction, class: Class, a: &[Value], b: &[Value]) -> Parts {
        if self.is_inline(function) {
            return self.inline(function, a);
        }
        let operands: &[&[Value]] = if takes_two(function) { &[a, b] } else { &[a] };
        self.called(function, class, operands)
    }

    /// Emits the call of a function with one or two operands.
    pub(super) fn called(&mut self, function: LaneFunction, class: Class, operands: &[&[Value]]) -> Parts {
        self.call_on(function, Shape::Pair, class, operands)
    }

    /// Emits a function of [`crate::math`] on scalars, like [`Self::call`].
    pub(in super::super) fn call_scalar(&mut self, function: LaneFunction, class: Class, a: Value, b: Value) -> Value {
        if self.is_inline(function) {
            return self.inline_scalar(function, a);
        }
        let a = self.splat(class, a);
        let b = if takes_two(function) { self.splat(class, b) } else { a.clone() };
        let out = self.call(function, class, &a, &b);
        self.lane(class, &out, 0)
    }

    fn call_on(&mut self, function: LaneFunction, shape: Shape, class: Class, operands: &[&[Value]]) -> Parts {
        let out = self.slot_address(0);
        let mut arguments = Parts::from_slice(&[out]);
        arguments.extend((0..operands.len()).map(|index| self.slot_address(index + 1)));
        // The function does not read through the remaining pointer arguments, so any address will do.
        arguments.resize(if shape == Shape::Triple { 4 } else { 3 }, out);
        let parts = self.target.parts(class);
        // A vector may have more lanes than the function takes, or a part of them.
        let at_once = (parts * LANES / self.target.lanes).max(1);
        let bytes = i64::from(class.bytes()) * LANES as i64;
        let mut results = Parts::new();
        for first in (0..parts).step_by(at_once) {
            for (parts, address) in operands.iter().zip(&arguments[1..]) {
                self.store_parts(&parts[first..first + at_once], *address, 0);
            }
            for call in 0..at_once as i64 * i64::from(self.target.vector_bytes) / bytes {
                let moved = arguments.iter().map(|address| self.b.ins().iadd_imm_s(*address, call * bytes));
                let moved: Parts = moved.collect();
                self.call_helper(Helper::Lane(function), shape, &moved);
            }
            results.extend(self.load_vectors(class, at_once, out));
        }
        results
    }

    /// The address of the stack memory with this index, for the lanes that a call reads or writes.
    pub(super) fn slot_address(&mut self, index: usize) -> Value {
        let slot = self.calls.slot(self.b, index);
        self.b.ins().stack_addr(self.target.pointer, slot, 0)
    }

    /// Emits a call of a function with these parameters.
    pub(super) fn call_helper(&mut self, helper: Helper, shape: Shape, arguments: &[Value]) {
        let signature = self.calls.signature(self.b, self.target, shape);
        helper.call(self.b, self.target.pointer, signature, arguments);
    }
}

/// Whether a function reads its second operand.
fn takes_two(function: LaneFunction) -> bool {
    use LaneFunction as F;
    matches!(
        function,
        F::Pow
            | F::Atan2
            | F::PowF64
            | F::Atan2F64
            | F::DivI32
            | F::RemI32
            | F::DivU32
            | F::RemU32
            | F::DivI64
            | F::RemI64
            | F::DivU64
            | F::RemU64
    )
}
