//! Float expressions that every device computes exactly: sums and products of whole numbers, below 2^24.

use super::Generator;
use super::expr::Made;
use super::scope::STORED;
use crate::random_kernels::ast::{Binary, Builtin, Expr, Kind, Scalar, Type, Unary};

/// The upper bound of a float's magnitude, in multiples of 2^-fraction: slightly less than 2^24.
const LIMIT: f64 = 16_000_000.0;

impl Made {
    /// The upper bound of the magnitude of the floats in the value, in multiples of 2^-fraction.
    fn units(&self) -> f64 {
        self.bound * f64::from(1u32 << self.fraction)
    }
}

impl Generator {
    pub(super) fn float(&mut self, width: u8, depth: usize) -> Made {
        let ty = Type::vector(Scalar::F32, width);
        match self.random.below(20) {
            0..4 => self.sum(&ty, depth),
            4..7 => self.product(&ty, depth),
            7..10 => self.rounded(&ty, depth),
            10..12 => {
                let (left, right) = (self.expr(&ty, depth - 1), self.expr(&ty, depth - 1));
                let builtin = *self.random.pick(&[Builtin::Min, Builtin::Max]);
                Made {
                    bound: left.bound.max(right.bound),
                    fraction: left.fraction.max(right.fraction),
                    constant: left.constant && right.constant,
                    expr: Expr::builtin(ty, builtin, vec![left.expr, right.expr]),
                }
            }
            12..15 => self.integer_as_float(width, depth),
            15 if width > 1 => self.matrix_times_vector(width, depth),
            15 => self.dot(depth),
            16 => {
                // The results are halves and quarters of whole numbers.
                let operand = self.small(&ty, depth - 1, 1024);
                let scale = Expr::f32(*self.random.pick(&[0.25, 0.5]));
                let expr = Expr::binary(Binary::Mul, operand.expr, scale.splat(&ty));
                Made { expr, bound: operand.bound, fraction: operand.fraction + 2, constant: operand.constant }
            }
            17 if width == 3 => {
                let (left, right) = (self.small(&ty, depth - 1, 1024), self.small(&ty, depth - 1, 1024));
                let bound = 2.0 * left.bound * right.bound;
                let constant = left.constant && right.constant;
                let expr = Expr::builtin(ty, Builtin::Cross, vec![left.expr, right.expr]);
                Made { expr, bound, fraction: 0, constant }
            }
            17 if width == 2 => {
                let pair = self.runtime(&ty);
                let word = Expr::builtin(Type::U32, Builtin::Pack2x16Float, vec![self.whole(pair, 1024).expr]);
                Made { bound: 1024.0, ..Made::plain(Expr::builtin(ty, Builtin::Unpack2x16Float, vec![word]), false) }
            }
            _ => self.leaf(&ty),
        }
    }

    /// Converts floats to whole numbers smaller than `modulus`.
    pub(super) fn whole(&mut self, made: Made, modulus: u32) -> Made {
        let width = made.expr.ty.numeric().map_or(1, |(_, width)| width);
        let integers = Type::vector(Scalar::I32, width);
        let modulus_expr = Expr::i32(modulus.cast_signed()).splat(&integers);
        let floats = made.expr.ty.clone();
        let expr = Expr::binary(Binary::Rem, made.expr.convert(integers), modulus_expr).convert(floats);
        Made { expr, bound: f64::from(modulus), fraction: 0, constant: made.constant }
    }

    /// Reduces floats to the range that memory may hold.
    pub(super) fn storable(&mut self, made: Made) -> Made {
        let floats = matches!(made.expr.ty.numeric(), Some((Scalar::F32, _)));
        if floats && (made.bound > STORED || made.fraction > 0) { self.whole(made, 1024) } else { made }
    }

    fn small(&mut self, ty: &Type, depth: usize, modulus: u32) -> Made {
        let made = self.expr(ty, depth);
        if made.bound > f64::from(modulus) || made.fraction > 0 { self.whole(made, modulus) } else { made }
    }

    fn sum(&mut self, ty: &Type, depth: usize) -> Made {
        let (mut left, mut right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        let units = |left: &Made, right: &Made| {
            (left.bound + right.bound) * f64::from(1u32 << left.fraction.max(right.fraction))
        };
        if units(&left, &right) > LIMIT {
            left = self.whole(left, 1024);
        }
        if units(&left, &right) > LIMIT {
            right = self.whole(right, 1024);
        }
        let op = *self.random.pick(&[Binary::Add, Binary::Sub]);
        Made {
            bound: left.bound + right.bound,
            fraction: left.fraction.max(right.fraction),
            constant: left.constant && right.constant,
            expr: Expr::binary(op, left.expr, right.expr),
        }
    }

    fn product(&mut self, ty: &Type, depth: usize) -> Made {
        let (mut left, mut right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        if left.units() * right.units() > LIMIT || left.fraction + right.fraction > 8 {
            left = self.whole(left, 1024);
            if left.units() * right.units() > LIMIT {
                right = self.whole(right, 1024);
            }
        }
        let (bound, fraction) = (left.bound * right.bound, left.fraction + right.fraction);
        let constant = left.constant && right.constant;
        if (bound + STORED) * f64::from(1u32 << fraction) < LIMIT && self.random.chance(20) {
            let addend = self.runtime(ty);
            if addend.bound <= STORED && addend.fraction == 0 {
                let expr = Expr::builtin(ty.clone(), Builtin::Fma, vec![left.expr, right.expr, addend.expr]);
                return Made { expr, bound: bound + STORED, fraction, constant: false };
            }
        }
        Made { expr: Expr::binary(Binary::Mul, left.expr, right.expr), bound, fraction, constant }
    }

    fn rounded(&mut self, ty: &Type, depth: usize) -> Made {
        let operand = self.expr(ty, depth - 1);
        let Made { expr, bound, fraction, constant } = operand;
        let (builtin, bound, fraction) = match self.random.below(10) {
            0 => (Builtin::Floor, bound + 1.0, 0),
            1 => (Builtin::Ceil, bound + 1.0, 0),
            2 => (Builtin::Trunc, bound, 0),
            3 => (Builtin::Round, bound + 1.0, 0),
            4 => (Builtin::Fract, 1.0, fraction),
            5 => (Builtin::Abs, bound, fraction),
            6 => (Builtin::Sign, 1.0, 0),
            7 => (Builtin::Saturate, 1.0, fraction),
            8 if self.random.chance(50) => {
                let edge = Expr::f32(self.random.small_float()).splat(ty);
                let expr = Expr::builtin(ty.clone(), Builtin::Step, vec![edge, expr]);
                return Made { expr, bound: 1.0, fraction: 0, constant };
            }
            8 => {
                let negated = Expr::new(ty.clone(), Kind::Unary(Unary::Negate, Box::new(expr)));
                return Made { expr: negated, bound, fraction, constant };
            }
            _ => {
                let low = self.random.small_float();
                let high = (low + self.random.below(1000) as f32).min(2047.0);
                let bounds = [Expr::f32(low).splat(ty), Expr::f32(high).splat(ty)];
                let arguments = [expr].into_iter().chain(bounds).collect();
                let expr = Expr::builtin(ty.clone(), Builtin::Clamp, arguments);
                return Made { expr, bound: STORED.max(bound), fraction, constant };
            }
        };
        Made { expr: Expr::builtin(ty.clone(), builtin, vec![expr]), bound, fraction, constant }
    }

    fn integer_as_float(&mut self, width: u8, depth: usize) -> Made {
        let ty = Type::vector(Scalar::F32, width);
        let scalar = *self.random.pick(&[Scalar::U32, Scalar::I32, Scalar::Bool]);
        let from = Type::vector(scalar, width);
        let operand = self.at_runtime(&from, depth - 1);
        let (operand, bound) = match scalar {
            Scalar::U32 => (Expr::binary(Binary::And, operand, Expr::u32(1023).splat(&from)), 1023.0),
            Scalar::I32 => (Expr::binary(Binary::Rem, operand, Expr::i32(1000).splat(&from)), 1000.0),
            _ => (operand, 1.0),
        };
        Made { bound, ..Made::plain(operand.convert(ty), false) }
    }

    fn dot(&mut self, depth: usize) -> Made {
        if self.random.chance(20) {
            let matrix = self.value(&Type::Matrix(2, 2), depth - 1);
            let bound = 2.0 * matrix.bound * matrix.bound;
            let expr = Expr::builtin(Type::F32, Builtin::Determinant, vec![matrix.expr]);
            return Made { expr, bound, fraction: 0, constant: matrix.constant };
        }
        let width = self.random.between(2, 4) as u8;
        let ty = Type::vector(Scalar::F32, width);
        let (left, right) = (self.small(&ty, depth - 1, 1024), self.small(&ty, depth - 1, 1024));
        let bound = f64::from(width) * left.bound * right.bound;
        let constant = left.constant && right.constant;
        let expr = Expr::builtin(Type::F32, Builtin::Dot, vec![left.expr, right.expr]);
        Made { expr, bound, fraction: 0, constant }
    }

    /// A matrix and a vector, whose product has `width` components.
    fn matrix_times_vector(&mut self, width: u8, depth: usize) -> Made {
        let inner = self.random.between(2, 4) as u8;
        let first = self.random.chance(50);
        let (columns, rows) = if first { (inner, width) } else { (width, inner) };
        let matrix = self.value(&Type::Matrix(columns, rows), depth - 1);
        let vector = self.small(&Type::vector(Scalar::F32, inner), depth - 1, 1024);
        let bound = f64::from(inner) * matrix.bound * vector.bound;
        let constant = matrix.constant && vector.constant;
        let (left, right) = if first { (matrix.expr, vector.expr) } else { (vector.expr, matrix.expr) };
        let mut expr = Expr::binary(Binary::Mul, left, right);
        expr.ty = Type::vector(Scalar::F32, width);
        Made { expr, bound, fraction: 0, constant }
    }
}
