//! Integer expressions.

use super::Generator;
use super::expr::Made;
use crate::random_kernels::ast::{Binary, Builtin, Expr, Kind, Scalar, Type, Unary};

impl Generator {
    pub(super) fn integer(&mut self, scalar: Scalar, width: u8, depth: usize) -> Made {
        let ty = Type::vector(scalar, width);
        match self.random.below(24) {
            0..9 => self.arithmetic(&ty, depth),
            9..11 => self.shift(&ty, depth),
            11..13 => {
                let operand = self.at_runtime(&ty, depth - 1);
                let op =
                    if scalar == Scalar::I32 && self.random.chance(50) { Unary::Negate } else { Unary::Complement };
                Made::plain(Expr::new(ty, Kind::Unary(op, Box::new(operand))), false)
            }
            13..18 => self.bits(&ty, depth),
            18..21 => self.converted(scalar, width, depth),
            21 if width == 1 => {
                let operand = Type::vector(scalar, self.random.between(2, 4) as u8);
                let arguments = vec![self.at_runtime(&operand, depth - 1), self.expr(&operand, depth - 1).expr];
                Made::plain(Expr::builtin(ty, Builtin::Dot, arguments), false)
            }
            22 if width == 1 || width == 4 => self.packed(scalar, width, depth),
            _ => self.leaf(&ty),
        }
    }

    /// An expression that is not constant.
    pub(super) fn at_runtime(&mut self, ty: &Type, depth: usize) -> Expr {
        let made = self.expr(ty, depth);
        if made.constant { self.runtime(ty).expr } else { made.expr }
    }

    fn arithmetic(&mut self, ty: &Type, depth: usize) -> Made {
        let ops = [
            Binary::Add,
            Binary::Add,
            Binary::Sub,
            Binary::Sub,
            Binary::Mul,
            Binary::Mul,
            Binary::Div,
            Binary::Rem,
            Binary::And,
            Binary::Or,
            Binary::Xor,
        ];
        let op = *self.random.pick(&ops);
        let logical = matches!(op, Binary::And | Binary::Or | Binary::Xor);
        let left = self.expr(ty, depth - 1);
        let Some((scalar, _)) = ty.numeric() else { return left };
        // WGSL has arithmetic between a vector and a scalar.
        let mixed = !logical && *ty != Type::Scalar(scalar) && self.random.chance(25);
        let right_type = if mixed { Type::Scalar(scalar) } else { ty.clone() };
        let right = self.expr(&right_type, depth - 1);
        if logical {
            let constant = left.constant && right.constant;
            return Made::plain(Expr::binary(op, left.expr, right.expr), constant);
        }
        let right = if right.constant && matches!(op, Binary::Div | Binary::Rem) {
            // A constant divisor must not be 0.
            let divisor = self.random.between(1, 40) as u32;
            let power = 1 << self.random.below(31);
            let divisor = if self.random.chance(30) { power } else { divisor };
            let negative = self.random.chance(30);
            let literal = match scalar {
                Scalar::I32 if negative => Expr::i32(-divisor.cast_signed()),
                Scalar::I32 => Expr::i32(divisor.cast_signed()),
                _ => Expr::u32(divisor),
            };
            literal.splat(&right_type)
        } else if matches!(op, Binary::Div | Binary::Rem) {
            self.unassembled(right.expr)
        } else {
            right.expr
        };
        let left = if left.constant { self.runtime(ty).expr } else { left.expr };
        if mixed && self.random.chance(40) && !matches!(op, Binary::Div | Binary::Rem) {
            let mut swapped = Expr::binary(op, right, left);
            swapped.ty = ty.clone();
            return Made::plain(swapped, false);
        }
        Made::plain(Expr::binary(op, left, right), false)
    }

    fn shift(&mut self, ty: &Type, depth: usize) -> Made {
        let op = *self.random.pick(&[Binary::Shl, Binary::Shr]);
        let left = self.at_runtime(ty, depth - 1);
        let width = ty.numeric().map_or(1, |(_, width)| width);
        let amounts = Type::vector(Scalar::U32, width);
        let right = match self.random.below(3) {
            0 => Expr::u32(self.random.below(32) as u32).splat(&amounts),
            1 => Expr::binary(Binary::And, self.at_runtime(&amounts, depth - 1), Expr::u32(31).splat(&amounts)),
            _ => {
                let amount = self.at_runtime(&amounts, depth - 1);
                self.unassembled(amount)
            }
        };
        Made::plain(Expr::binary(op, left, right), false)
    }

    /// Replaces an operand that is a vector by one that is not constant: naga evaluates vectors that are composed in an
    /// expression, and refuses a constant component that divides by 0 or shifts by the width or more.
    fn unassembled(&mut self, expr: Expr) -> Expr {
        if matches!(expr.ty, Type::Vector(..)) { self.runtime(&expr.ty).expr } else { expr }
    }

    fn bits(&mut self, ty: &Type, depth: usize) -> Made {
        let simple = [
            Builtin::Abs,
            Builtin::CountOneBits,
            Builtin::CountLeadingZeros,
            Builtin::CountTrailingZeros,
            Builtin::FirstLeadingBit,
            Builtin::FirstTrailingBit,
            Builtin::ReverseBits,
        ];
        let mut arguments = vec![self.at_runtime(ty, depth - 1)];
        let builtin = match self.random.below(12) {
            0..5 => *self.random.pick(&simple),
            5 if matches!(ty.numeric(), Some((Scalar::I32, _))) => Builtin::Sign,
            5..9 => {
                arguments.push(self.expr(ty, depth - 1).expr);
                *self.random.pick(&[Builtin::Min, Builtin::Max])
            }
            9 => {
                let (low, high) = (self.at_runtime(ty, depth - 1), self.at_runtime(ty, depth - 1));
                arguments.extend([low, high]);
                Builtin::Clamp
            }
            insert => {
                if insert == 11 {
                    arguments.push(self.expr(ty, depth - 1).expr);
                }
                let (offset, count) = if self.random.chance(50) {
                    let offset = self.random.below(32);
                    (Expr::u32(offset as u32), Expr::u32(self.random.between(0, 32 - offset) as u32))
                } else {
                    let mut amount = || {
                        let amount = self.at_runtime(&Type::U32, 1);
                        let modulus = *self.random.pick(&[8, 33, 40, 100]);
                        Expr::binary(Binary::Rem, amount, Expr::u32(modulus))
                    };
                    (amount(), amount())
                };
                arguments.extend([offset, count]);
                if insert == 11 { Builtin::InsertBits } else { Builtin::ExtractBits }
            }
        };
        Made::plain(Expr::builtin(ty.clone(), builtin, arguments), false)
    }

    fn converted(&mut self, scalar: Scalar, width: u8, depth: usize) -> Made {
        let ty = Type::vector(scalar, width);
        let other = if scalar == Scalar::U32 { Scalar::I32 } else { Scalar::U32 };
        match self.random.below(4) {
            0 => Made::plain(self.at_runtime(&Type::vector(other, width), depth - 1).convert(ty), false),
            1 => Made::plain(self.at_runtime(&Type::vector(other, width), depth - 1).bitcast(ty), false),
            2 => Made::plain(self.at_runtime(&Type::vector(Scalar::Bool, width), depth - 1).convert(ty), false),
            _ => {
                let operand = self.expr(&Type::vector(Scalar::F32, width), depth - 1);
                let operand = if operand.constant { self.runtime(&Type::vector(Scalar::F32, width)) } else { operand };
                // Floats that are whole numbers, whose zeros have no sign, may be bitcast as well.
                if self.random.chance(30) {
                    let whole = self.whole(operand, 1024);
                    return Made::plain(whole.expr.bitcast(ty), false);
                }
                Made::plain(operand.expr.convert(ty), false)
            }
        }
    }

    fn packed(&mut self, scalar: Scalar, width: u8, depth: usize) -> Made {
        let ty = Type::vector(scalar, width);
        if width == 4 {
            let builtin = if scalar == Scalar::U32 { Builtin::Unpack4xU8 } else { Builtin::Unpack4xI8 };
            let argument = self.at_runtime(&Type::U32, depth - 1);
            return Made::plain(Expr::builtin(ty, builtin, vec![argument]), false);
        }
        if scalar == Scalar::U32 && self.random.chance(30) {
            let argument = self.at_runtime(&Type::vector(Scalar::U32, 4), depth - 1);
            return Made::plain(Expr::builtin(ty, Builtin::Pack4xU8, vec![argument]), false);
        }
        if scalar == Scalar::U32 && self.random.chance(30) {
            let pair = self.expr(&Type::vector(Scalar::F32, 2), depth - 1);
            let pair = if pair.constant { self.runtime(&Type::vector(Scalar::F32, 2)) } else { pair };
            let whole = self.whole(pair, 1024).expr;
            return Made::plain(Expr::builtin(ty, Builtin::Pack2x16Float, vec![whole]), false);
        }
        let builtin = if scalar == Scalar::U32 { Builtin::Dot4U8 } else { Builtin::Dot4I8 };
        let arguments = vec![self.at_runtime(&Type::U32, depth - 1), self.expr(&Type::U32, depth - 1).expr];
        Made::plain(Expr::builtin(ty, builtin, arguments), false)
    }
}
