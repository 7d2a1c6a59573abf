//! Values that are linear except in unusual cases.
//!
//! An index that is clamped to an image is not certain to grow by one from lane to lane, but nearly always does. For
//! such values the generator keeps, in addition to the vectors, lane 0's value and the condition under which the other
//! lanes differ from it by multiples of the stride. Memory accesses test the condition; the vectors are computed only
//! where it fails.

use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};
use smallvec::SmallVec;

use super::generator::{Generator, Held};
use crate::ir::{BinaryOp, Class, Inst, Value};

/// Conditions that must all be true. A branch for each costs less than their conjunction: no result of a comparison is
/// needed as a value, and the branches nearly always go one way.
pub(super) type Conditions = SmallVec<[cl::Value; 4]>;

/// The likely linear form of a value.
#[derive(Clone, Debug)]
pub(super) struct Likely {
    /// Lane 0's value.
    pub(super) first: cl::Value,
    /// The conditions under which the value is linear, beside `unwrapped`; none if it is linear in any case.
    when: Conditions,
    /// A further condition, that the last lane's value does not wrap. A later minimum of the same signedness makes it
    /// needless.
    unwrapped: Option<cl::Value>,
    /// Whether the value is bounded above, as a signed (`true`) or unsigned integer, so that the last lane cannot wrap.
    bounded: Option<bool>,
    /// Whether the conditions are true in nearly all groups of any launch; else they depend on the arguments, such as
    /// the stride of a matrix.
    pub(super) usual: bool,
}

impl Likely {
    pub(super) fn certain(first: cl::Value) -> Self {
        Self { first, when: Conditions::new(), unwrapped: None, bounded: None, usual: true }
    }

    /// All conditions under which the value is linear.
    pub(super) fn conditions(&self) -> impl Iterator<Item = cl::Value> + '_ {
        self.when.iter().copied().chain(self.unwrapped)
    }
}

impl Generator<'_, '_> {
    /// The certain or likely linear form of a value; `None` if it has neither.
    pub(super) fn likely(&mut self, value: Value) -> Option<Likely> {
        if self.facts.shapes[value.0 as usize].stride().is_some() {
            return Some(Likely::certain(self.scalar(value)));
        }
        self.likely[value.0 as usize].clone()
    }

    /// Stores the likely linear form of an instruction's result.
    pub(super) fn hold_likely(&mut self, value: Value, inst: &Inst) {
        // Values that are kept across a barrier are kept as vectors only.
        let kept = matches!(self.values[value.0 as usize], Held::Kept(_));
        if self.facts.shapes[value.0 as usize].near <= 0 || kept {
            return;
        }
        let Inst::Binary(op, a, b) = *inst else { return };
        if let (Some(of_a), Some(of_b)) = (self.likely(a), self.likely(b)) {
            self.likely[value.0 as usize] = self.likely_of(op, (a, of_a), (b, of_b));
        }
    }

    /// The likely linear form of the result of `op`, given the operands and their forms.
    pub(super) fn likely_of(
        &mut self,
        op: BinaryOp,
        (a, of_a): (Value, Likely),
        (b, of_b): (Value, Likely),
    ) -> Option<Likely> {
        if matches!(op, BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::MaxU) {
            let stride = |value: Value| self.facts.shapes[value.0 as usize].likely_stride();
            let (grows, stride, limit) = match (stride(a), stride(b)) {
                (Some(stride), _) => (of_a, stride, of_b),
                (None, Some(stride)) => (of_b, stride, of_a),
                (None, None) => return None,
            };
            return Some(self.unclamped(op, grows, stride, limit.first));
        }
        let mut when: Conditions = of_a.conditions().collect();
        let others: Conditions = of_b.conditions().filter(|condition| !when.contains(condition)).collect();
        when.extend(others);
        let first = self.emit().binary_scalar(op, Class::I32, of_a.first, of_b.first);
        let mut usual = of_a.usual && of_b.usual;
        if op == BinaryOp::Mul && self.known(a).is_none() && self.known(b).is_none() {
            let factor = if self.is_uniform(b) { of_b.first } else { of_a.first };
            when.push(self.b.ins().icmp_imm_s(IntCC::Equal, factor, 1));
            usual = false;
        }
        Some(Likely { first, when, unwrapped: None, bounded: None, usual })
    }

    /// The form of the minimum or maximum of a growing value and `limit`, where it leaves all lanes of the value
    /// unchanged. The value grows by `stride` per lane.
    fn unclamped(&mut self, op: BinaryOp, grows: Likely, stride: i32, limit: cl::Value) -> Likely {
        let signed = matches!(op, BinaryOp::MinS | BinaryOp::MaxS);
        let wide = |g: &mut Self, value| {
            if signed { g.b.ins().sextend(types::I64, value) } else { g.b.ins().uextend(types::I64, value) }
        };
        // A bound of the other signedness says nothing about this one.
        let mut of = match grows.bounded {
            Some(bounded) if bounded == signed => grows,
            _ => Likely { when: grows.conditions().collect(), unwrapped: None, bounded: None, ..grows },
        };
        let (start, bound) = (wide(self, of.first), wide(self, limit));
        // The last lane's value is computed with 64 bits, so that it does not wrap.
        let reach = i64::from(stride) * (self.target.lanes as i64 - 1);
        if matches!(op, BinaryOp::MinS | BinaryOp::MinU) {
            let last = self.b.ins().iadd_imm_s(start, reach);
            of.when.push(self.b.ins().icmp(IntCC::SignedLessThanOrEqual, last, bound));
            of.unwrapped = None;
        } else {
            of.when.push(self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, start, bound));
            if of.bounded.is_none() {
                let last = self.b.ins().iadd_imm_s(start, reach);
                let most = if signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
                of.unwrapped = Some(self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, last, most));
            }
        }
        of.bounded = Some(signed);
        of
    }
}
