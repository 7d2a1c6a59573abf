//! Conversions between classes.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::halves::{HIGH_HALF, LOW_HALVES};
use super::{Emit, Parts, scalar_type};
use crate::emitter::Intrinsic;
use crate::ir::Convert;

impl Emit<'_, '_> {
    /// Converts eight lanes.
    pub(in super::super) fn convert(&mut self, op: Convert, a: &[Value]) -> Parts {
        let (from, to) = op.classes();
        let ty = self.target.vector(to);
        match op {
            Convert::BoolToI32 => self.each(a, |emit, a| emit.ushr_by(a, 31)),
            Convert::I32ToF32S => self.each(a, |emit, a| emit.b.ins().fcvt_from_sint(ty, a)),
            Convert::I32ToF32U => self.each(a, |emit, a| emit.b.ins().fcvt_from_uint(ty, a)),
            Convert::I32ToF64S => a.iter().flat_map(|&a| self.doubles(true, a)).collect(),
            Convert::I32ToF64U => a.iter().flat_map(|&a| self.doubles(false, a)).collect(),
            Convert::I64ToF64S => self.each(a, |emit, a| emit.b.ins().fcvt_from_sint(ty, a)),
            Convert::I64ToF64U => self.each(a, |emit, a| emit.b.ins().fcvt_from_uint(ty, a)),
            Convert::F32ToI32S => self.each(a, |emit, a| emit.b.ins().fcvt_to_sint_sat(ty, a)),
            Convert::F32ToI32U => self.each(a, |emit, a| emit.b.ins().fcvt_to_uint_sat(ty, a)),
            Convert::I64ToF32S
            | Convert::I64ToF32U
            | Convert::F32ToI64S
            | Convert::F32ToI64U
            | Convert::F64ToI32S
            | Convert::F64ToI32U
            | Convert::F64ToI64S
            | Convert::F64ToI64U => self.each_lane(from, to, a, |emit, a| emit.convert_scalar(op, a)),
            Convert::F32ToF64 if self.target.is_wide() => {
                let halves = self.split_once(a);
                self.each(&halves, |emit, half| emit.intrinsic(Intrinsic::Promote, &[half]))
            }
            Convert::F64ToF32 if self.target.is_wide() => {
                let halves = self.each(a, |emit, a| emit.intrinsic(Intrinsic::Demote, &[a]));
                self.joined_once(&halves)
            }
            Convert::F32ToF64 => a
                .iter()
                .flat_map(|&a| {
                    let upper = self.permute(HIGH_HALF, a, a);
                    [a, upper].map(|half| self.b.ins().fvpromote_low(half))
                })
                .collect(),
            Convert::F64ToF32 => a
                .chunks(2)
                .map(|pair| {
                    let (low, high) = (self.b.ins().fvdemote(pair[0]), self.b.ins().fvdemote(pair[1]));
                    self.permute(LOW_HALVES, low, high)
                })
                .collect(),
            Convert::I32ToI64S => {
                a.iter().flat_map(|&a| [self.b.ins().swiden_low(a), self.b.ins().swiden_high(a)]).collect()
            }
            Convert::I32ToI64U => {
                a.iter().flat_map(|&a| [self.b.ins().uwiden_low(a), self.b.ins().uwiden_high(a)]).collect()
            }
            Convert::I64ToI32 => self.narrow(ty, a),
            Convert::BitsI32ToF32 | Convert::BitsF32ToI32 | Convert::BitsI64ToF64 | Convert::BitsF64ToI64 => {
                self.each(a, |emit, a| emit.cast(ty, a))
            }
            Convert::HalfBitsToF32 => self.each(a, Self::half_bits_to_f32),
            Convert::F32ToHalfBits => self.each(a, Self::f32_to_half_bits),
        }
    }

    /// Converts a scalar.
    pub(in super::super) fn convert_scalar(&mut self, op: Convert, a: Value) -> Value {
        let (from, to) = op.classes();
        let ty = scalar_type(to);
        match op {
            Convert::BoolToI32 => self.b.ins().uextend(ty, a),
            Convert::I32ToF32S | Convert::I32ToF64S | Convert::I64ToF32S | Convert::I64ToF64S => {
                self.b.ins().fcvt_from_sint(ty, a)
            }
            Convert::I32ToF32U | Convert::I32ToF64U | Convert::I64ToF32U | Convert::I64ToF64U => {
                self.b.ins().fcvt_from_uint(ty, a)
            }
            Convert::F32ToI32S | Convert::F32ToI64S | Convert::F64ToI32S | Convert::F64ToI64S => {
                self.b.ins().fcvt_to_sint_sat(ty, a)
            }
            Convert::F32ToI32U | Convert::F32ToI64U | Convert::F64ToI32U | Convert::F64ToI64U => {
                self.b.ins().fcvt_to_uint_sat(ty, a)
            }
            Convert::F32ToF64 => self.b.ins().fpromote(ty, a),
            Convert::F64ToF32 => self.b.ins().fdemote(ty, a),
            Convert::I32ToI64S => self.b.ins().sextend(ty, a),
            Convert::I32ToI64U => self.b.ins().uextend(ty, a),
            Convert::I64ToI32 => self.b.ins().ireduce(ty, a),
            Convert::BitsI32ToF32 | Convert::BitsF32ToI32 | Convert::BitsI64ToF64 | Convert::BitsF64ToI64 => {
                self.cast(ty, a)
            }
            Convert::HalfBitsToF32 => self.through_vector(from, to, a, Self::half_bits_to_f32),
            Convert::F32ToHalfBits => self.through_vector(from, to, a, Self::f32_to_half_bits),
        }
    }
}
