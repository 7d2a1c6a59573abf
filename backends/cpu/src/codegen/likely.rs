//! Values that are linear except in unusual cases.
//!
//! An index that is clamped to an image is not certain to grow by one from lane to lane, but nearly always does. For
//! such values the generator keeps, in addition to the vectors, lane 0's value and the condition under which the other
//! lanes differ from it by multiples of the stride. Memory accesses test the condition; the vectors are computed only
//! where it fails.

use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};

use super::generator::{Generator, Held};
use crate::abi::LANES;
use crate::ir::{BinaryOp, Class, Inst, Value};

/// The likely linear form of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likely {
    /// Lane 0's value.
    pub(super) first: cl::Value,
    /// The condition under which the value is linear; `None` if it is linear in any case.
    pub(super) when: Option<cl::Value>,
}

impl Generator<'_, '_> {
    /// The certain or likely linear form of a value; `None` if it has neither.
    pub(super) fn likely(&mut self, value: Value) -> Option<Likely> {
        if self.facts.shapes[value.0 as usize].stride().is_some() {
            let first = self.scalar(value);
            return Some(Likely { first, when: None });
        }
        self.likely[value.0 as usize]
    }

    /// Stores the likely linear form of an instruction's result.
    pub(super) fn hold_likely(&mut self, value: Value, inst: &Inst) {
        // Values that are kept across a barrier are kept as vectors only.
        let kept = matches!(self.values[value.0 as usize], Held::Kept(_));
        if self.facts.shapes[value.0 as usize].near <= 0 || kept {
            return;
        }
        let Inst::Binary(op, a, b) = *inst else { return };
        let (Some(of_a), Some(of_b)) = (self.likely(a), self.likely(b)) else { return };
        let mut when = match (of_a.when, of_b.when) {
            (Some(a), Some(b)) => Some(self.b.ins().band(a, b)),
            (one, other) => one.or(other),
        };
        let first = self.emit().binary_scalar(op, Class::I32, of_a.first, of_b.first);
        if op == BinaryOp::Mul && self.known(a).is_none() && self.known(b).is_none() {
            let factor = if self.is_uniform(b) { of_b.first } else { of_a.first };
            let one = self.b.ins().icmp_imm_s(IntCC::Equal, factor, 1);
            when = Some(match when {
                Some(when) => self.b.ins().band(when, one),
                None => one,
            });
        }
        if matches!(op, BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::MaxU) {
            let ((grows, stride), limit) = match self.facts.shapes[a.0 as usize].likely_stride() {
                Some(stride) => ((of_a.first, stride), of_b.first),
                None => match self.facts.shapes[b.0 as usize].likely_stride() {
                    Some(stride) => ((of_b.first, stride), of_a.first),
                    None => return,
                },
            };
            let unclamped = self.unclamped(op, grows, stride, limit);
            when = Some(match when {
                Some(when) => self.b.ins().band(when, unclamped),
                None => unclamped,
            });
            self.likely[value.0 as usize] = Some(Likely { first: grows, when });
            return;
        }
        self.likely[value.0 as usize] = Some(Likely { first, when });
    }

    /// The condition under which a minimum or maximum with `limit` leaves all lanes of a growing value unchanged. The
    /// value is `first` in lane 0 and grows by `stride` per lane.
    fn unclamped(&mut self, op: BinaryOp, first: cl::Value, stride: i32, limit: cl::Value) -> cl::Value {
        let signed = matches!(op, BinaryOp::MinS | BinaryOp::MaxS);
        let wide = |g: &mut Self, value| {
            if signed { g.b.ins().sextend(types::I64, value) } else { g.b.ins().uextend(types::I64, value) }
        };
        let (start, bound) = (wide(self, first), wide(self, limit));
        // The last lane's value is computed with 64 bits, so that it does not wrap.
        let last = self.b.ins().iadd_imm_s(start, i64::from(stride) * (LANES as i64 - 1));
        if matches!(op, BinaryOp::MinS | BinaryOp::MinU) {
            return self.b.ins().icmp(IntCC::SignedLessThanOrEqual, last, bound);
        }
        let above = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, start, bound);
        let most = if signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        let fits = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, last, most);
        self.b.ins().band(above, fits)
    }
}
