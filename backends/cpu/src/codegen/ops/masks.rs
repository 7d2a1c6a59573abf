//! Booleans of lanes: any, all, bits, widening and narrowing, selection.

use cranelift_codegen::ir::{InstBuilder, InstructionData, Type, Value, types};

use super::halves::{EVEN, ZIP_HIGH, ZIP_LOW};
use super::{Emit, Parts};
use crate::emitter::Intrinsic;
use crate::ir::Class;

impl Emit<'_, '_> {
    /// The mask of booleans that are known at compile time.
    pub(in super::super) fn known_mask(&mut self, active: impl Fn(usize) -> bool) -> Parts {
        self.lanes_of((0..self.target.lanes).map(|lane| if active(lane) { u32::MAX } else { 0 }))
    }

    /// Whether any lane is true: an `I8` that is non-zero if so.
    pub(in super::super) fn any(&mut self, mask: &[Value]) -> Value {
        let either = if let [low, high] = *mask { self.b.ins().bor(low, high) } else { mask[0] };
        self.b.ins().vany_true(either)
    }

    /// Whether all lanes are true: an `I8` that is non-zero if so.
    pub(in super::super) fn all(&mut self, mask: &[Value]) -> Value {
        let both = if let [low, high] = *mask { self.b.ins().band(low, high) } else { mask[0] };
        self.b.ins().vall_true(both)
    }

    /// The mask as an `I32` with one bit per lane; lane 0 is the lowest bit.
    pub(in super::super) fn bits(&mut self, mask: &[Value]) -> Value {
        let low = self.b.ins().vhigh_bits(types::I32, mask[0]);
        let &[_, high] = mask else { return low };
        let high = self.b.ins().vhigh_bits(types::I32, high);
        let lanes = self.target.vector(Class::Bool).lane_count();
        let high = self.ishl_by(high, i64::from(lanes));
        self.b.ins().bor(low, high)
    }

    /// Selects the lanes of `a` where the condition is true, otherwise those of `b`.
    pub(in super::super) fn select(&mut self, class: Class, condition: &[Value], a: &[Value], b: &[Value]) -> Parts {
        let wide = if matches!(class, Class::I64 | Class::F64) { self.widen_mask(condition) } else { condition.into() };
        (0..a.len()).map(|part| self.choose(wide[part], a[part], b[part])).collect()
    }

    /// Selects scalar `a` if the condition is true, otherwise `b`.
    pub(in super::super) fn select_scalar(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.b.ins().select(condition, a, b)
    }

    /// Selects `a` in the lanes where the mask is all ones, otherwise `b`. The mask has lanes of the same width.
    pub(super) fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let mask_type = self.b.func.dfg.value_type(mask);
        let (a, b) = (self.cast(mask_type, a), self.cast(mask_type, b));
        // For a selection by a comparison Cranelift emits one instruction, in some cases a minimum. It does not
        // recognise that the lanes of other masks are all ones or all zeros too.
        let comparison = matches!(
            self.definition(mask),
            Some(InstructionData::IntCompare { .. } | InstructionData::FloatCompare { .. })
        );
        let out = if self.target.blend && !comparison {
            self.b.ins().blendv(mask, a, b)
        } else {
            self.b.ins().bitselect(mask, a, b)
        };
        self.cast(ty, out)
    }

    /// Converts a mask with 32-bit lanes to the mask with 64-bit lanes.
    pub(super) fn widen_mask(&mut self, mask: &[Value]) -> Parts {
        let mut wide = Parts::new();
        for &part in mask {
            if self.target.is_wide() {
                wide.extend([self.b.ins().swiden_low(part), self.b.ins().swiden_high(part)]);
                continue;
            }
            for pattern in [ZIP_LOW, ZIP_HIGH] {
                let doubled = self.permute(pattern, part, part);
                wide.push(self.cast(types::I64X2, doubled));
            }
        }
        wide
    }

    /// The low halves of 64-bit lanes, as vectors of type `ty` with 32-bit lanes.
    pub(super) fn narrow(&mut self, ty: Type, wide: &[Value]) -> Parts {
        wide.chunks(2).map(|pair| self.narrow_pair(ty, pair[0], pair[1])).collect()
    }

    /// The low halves of the lanes of two vectors with 64-bit lanes, as one vector of type `ty` with 32-bit lanes.
    pub(super) fn narrow_pair(&mut self, ty: Type, low: Value, high: Value) -> Value {
        let narrow = if self.target.is_wide() {
            let words = self.integers();
            let (low, high) = (self.cast(words, low), self.cast(words, high));
            if self.target.pieces() > 2 {
                let narrow = self.intrinsic(Intrinsic::Evens, &[low, high]);
                return self.cast(ty, narrow);
            }
            // The selection works on each half by itself, so the halves of its result are exchanged in the middle.
            let mixed = self.intrinsic(Intrinsic::TwoWords(0b10_00_10_00), &[low, high]);
            let mixed = self.cast(self.target.vector(Class::I64), mixed);
            self.intrinsic(Intrinsic::Quads(0b11_01_10_00), &[mixed])
        } else {
            self.permute(EVEN, low, high)
        };
        self.cast(ty, narrow)
    }
}
