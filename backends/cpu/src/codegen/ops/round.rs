//! Rounding of floats to integers on machines that have no instruction for it.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::Emit;
use crate::ir::UnaryOp;

impl Emit<'_, '_> {
    /// Rounds a float vector by the operation `op`: ceil, floor, trunc or nearest.
    ///
    /// Adding 2^23 (2^52 for doubles) to a smaller magnitude leaves no fraction bits, so the addition itself rounds to
    /// the nearest integer. For other rounding modes the result may be one too large or too small, and is corrected.
    pub(super) fn round_without_instruction(&mut self, op: UnaryOp, x: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let integer = ty.as_int();
        let (limit, one, sign) = if ty.lane_type() == types::F32 {
            (u64::from(8_388_608f32.to_bits()), u64::from(1f32.to_bits()), 1 << 31)
        } else {
            (4_503_599_627_370_496f64.to_bits(), 1f64.to_bits(), 1 << 63)
        };
        let limit = self.vector(ty, limit);
        let sign = self.vector(integer, sign);
        let bits = self.cast(integer, x);
        let sign_of_x = self.b.ins().band(bits, sign);

        let magnitude = self.b.ins().fabs(x);
        let sum = self.b.ins().fadd(magnitude, limit);
        let nearest = self.b.ins().fsub(sum, limit);
        let rounded = match op {
            UnaryOp::Nearest => nearest,
            UnaryOp::Trunc => {
                let too_large = self.b.ins().fcmp(FloatCC::GreaterThan, nearest, magnitude);
                let excess = self.one_where(too_large, one, ty);
                self.b.ins().fsub(nearest, excess)
            }
            _ => {
                let nearest = self.cast(integer, nearest);
                let signed = self.b.ins().bor(nearest, sign_of_x);
                let signed = self.cast(ty, signed);
                if op == UnaryOp::Floor {
                    let too_large = self.b.ins().fcmp(FloatCC::GreaterThan, signed, x);
                    let excess = self.one_where(too_large, one, ty);
                    self.b.ins().fsub(signed, excess)
                } else {
                    let too_small = self.b.ins().fcmp(FloatCC::LessThan, signed, x);
                    let missing = self.one_where(too_small, one, ty);
                    self.b.ins().fadd(signed, missing)
                }
            }
        };
        // A result has the sign of its operand, including zeros.
        let rounded = self.b.ins().fabs(rounded);
        let rounded = self.cast(integer, rounded);
        let rounded = self.b.ins().bor(rounded, sign_of_x);
        // Floats at or above the limit are integers and stay unchanged, as do infinities and NaN.
        let small = self.b.ins().fcmp(FloatCC::LessThan, magnitude, limit);
        let out = self.choose(small, rounded, bits);
        self.cast(ty, out)
    }

    /// A float vector with 1.0 in the lanes where the mask is set, otherwise 0; `one` is the bits of 1.0.
    fn one_where(&mut self, mask: Value, one: u64, ty: cranelift_codegen::ir::Type) -> Value {
        let integer = self.b.func.dfg.value_type(mask);
        let one = self.vector(integer, one);
        let out = self.b.ins().band(mask, one);
        self.cast(ty, out)
    }
}
