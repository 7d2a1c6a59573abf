//! Simpler forms of expressions with known operands.
//!
//! Only integers, booleans and moves of values are simplified, because these simplifications are exact.

mod components;

use naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind, TypeInner, UnaryOperator,
};
use smallvec::SmallVec;

use super::fold::{self, Integer};
use super::rewrite::Rewriter;

/// A simpler expression with the same value as an expression.
pub(super) enum Simpler {
    /// There is no simpler expression.
    No,
    /// An existing expression with the same value.
    Same(Handle<Expression>),
    Literal(Literal),
    /// Another expression, which may itself be simplified.
    Other(Expression),
}

impl From<Option<Literal>> for Simpler {
    fn from(literal: Option<Literal>) -> Self {
        literal.map_or(Self::No, Self::Literal)
    }
}

impl Rewriter<'_> {
    /// The simpler form of `expression`, whose operands are expressions of the new function; `old` is the expression of
    /// the old function that it replaces.
    pub(super) fn simpler(&mut self, old: Handle<Expression>, expression: &Expression) -> Simpler {
        match *expression {
            Expression::Unary { op, expr } => self.simpler_unary(op, expr),
            Expression::Binary { op, left, right } => self.simpler_binary(old, op, left, right),
            Expression::Select { condition, accept, reject } => match self.literal(condition) {
                Some(Literal::Bool(true)) => Simpler::Same(accept),
                Some(Literal::Bool(false)) => Simpler::Same(reject),
                _ if accept == reject => Simpler::Same(accept),
                _ => Simpler::No,
            },
            Expression::As { expr, kind, convert } => {
                if let Some(literal) = self.literal(expr) {
                    return fold::cast(literal, kind, convert).into();
                }
                let Expression::As { expr: old_expr, .. } = self.source.expressions[old] else { return Simpler::No };
                match (self.scalar(old), self.scalar(old_expr)) {
                    (Some(to), Some(from)) if to == from => Simpler::Same(expr),
                    _ => Simpler::No,
                }
            }
            // With `low > high`, `clamp` returns `high`. WGSL rejects `clamp` with such constants, so the call has to
            // be removed.
            Expression::Math { fun: MathFunction::Clamp, arg1: Some(low), arg2: Some(high), .. }
                if self.crossed(low, high) =>
            {
                Simpler::Same(high)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let operands: Option<SmallVec<[Literal; 4]>> =
                    [Some(arg), arg1, arg2, arg3].into_iter().flatten().map(|operand| self.literal(operand)).collect();
                operands.and_then(|operands| fold::math(fun, &operands)).into()
            }
            Expression::Relational { fun: RelationalFunction::All | RelationalFunction::Any, argument } => {
                match self.literal(argument) {
                    Some(literal @ Literal::Bool(_)) => Simpler::Literal(literal),
                    _ => Simpler::No,
                }
            }
            Expression::Compose { ty, ref components } => match self.module.types[ty].inner {
                TypeInner::Vector { size, scalar } if components.len() != size as usize => {
                    self.simpler_vector(ty, scalar, components)
                }
                _ => Simpler::No,
            },
            Expression::Access { base, index } => self.simpler_access(old, base, index),
            Expression::AccessIndex { base, index } => self.simpler_component(old, base, index),
            Expression::Swizzle { size, vector, pattern } => match self.writer.function.expressions[vector] {
                Expression::Swizzle { vector, pattern: inner, .. } => {
                    let pattern = pattern.map(|component| inner[component as usize]);
                    Simpler::Other(Expression::Swizzle { size, vector, pattern })
                }
                Expression::Splat { value, .. } => Simpler::Other(Expression::Splat { size, value }),
                _ => Simpler::No,
            },
            _ => Simpler::No,
        }
    }

    /// Whether both bounds are constant integers and `low` is larger than `high`.
    fn crossed(&self, low: Handle<Expression>, high: Handle<Expression>) -> bool {
        let [low, high] = [low, high].map(|bound| self.literal(bound).and_then(Integer::of));
        matches!((low, high), (Some(low), Some(high)) if low.value > high.value)
    }

    fn simpler_unary(&self, op: UnaryOperator, operand: Handle<Expression>) -> Simpler {
        if let Some(literal) = self.literal(operand) {
            return fold::unary(op, literal).into();
        }
        match self.writer.function.expressions[operand] {
            // `!!x` and `~~x` are `x`. `-(-x)` stays, because negation may change the sign of a NaN.
            Expression::Unary { op: inner, expr } if inner == op && op != UnaryOperator::Negate => Simpler::Same(expr),
            _ => Simpler::No,
        }
    }

    fn simpler_binary(
        &mut self,
        old: Handle<Expression>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Simpler {
        use BinaryOperator as Op;
        if let (Some(a), Some(b)) = (self.literal(left), self.literal(right)) {
            return fold::binary(op, a, b).into();
        }
        if let Some(Literal::Bool(known)) = self.literal(left) {
            return bool_and(op, known, right);
        }
        if let Some(Literal::Bool(known)) = self.literal(right) {
            return bool_and(op, known, left);
        }
        let scalar = self.scalar(old);
        if let Some(a) = self.literal(left).and_then(Integer::of) {
            return match op {
                Op::Add | Op::InclusiveOr | Op::ExclusiveOr if a.value == 0 => Simpler::Same(right),
                Op::Multiply if a.value == 1 => Simpler::Same(right),
                Op::Multiply | Op::And if a.value == 0 && scalar.is_some() => Simpler::Literal(a.with(0)),
                Op::And if a.is_full() => Simpler::Same(right),
                // WGSL defines 0 / 0 and 0 % 0 as 0.
                Op::Divide | Op::Modulo | Op::ShiftLeft | Op::ShiftRight if a.value == 0 && scalar.is_some() => {
                    Simpler::Literal(a.with(0))
                }
                Op::Add => self.add_constants(right, a),
                _ => Simpler::No,
            };
        }
        let Some(b) = self.literal(right).and_then(Integer::of) else {
            self.refuse(old, op, right);
            return Simpler::No;
        };
        match op {
            Op::Add | Op::Subtract | Op::InclusiveOr | Op::ExclusiveOr if b.value == 0 => Simpler::Same(left),
            Op::Multiply | Op::Divide if b.value == 1 => Simpler::Same(left),
            Op::Divide if b.value == 0 => Simpler::Same(left),
            Op::Multiply | Op::And if b.value == 0 && scalar.is_some() => Simpler::Literal(b.with(0)),
            Op::Modulo if (b.value == 1 || b.value == 0) && scalar.is_some() => Simpler::Literal(b.with(0)),
            Op::And if b.is_full() => Simpler::Same(left),
            Op::ShiftLeft | Op::ShiftRight => {
                let Some(scalar) = scalar else { return Simpler::No };
                let bits = u32::from(scalar.width) * 8;
                match b.amount(bits) {
                    0 => Simpler::Same(left),
                    amount if i128::from(amount) != b.value => {
                        let right = self.free(Expression::Literal(b.with(amount.into())), naga::Span::default());
                        Simpler::Other(Expression::Binary { op, left, right })
                    }
                    _ => Simpler::No,
                }
            }
            Op::Add => self.add_constants(left, b),
            _ => Simpler::No,
        }
    }

    /// Simplifies `(x + a) + b` to `x + (a + b)` for constants `a` and `b`, which is equal even if a sum wraps.
    fn add_constants(&mut self, sum: Handle<Expression>, other: Integer) -> Simpler {
        let Expression::Binary { op: BinaryOperator::Add, left, right } = self.writer.function.expressions[sum] else {
            return Simpler::No;
        };
        for (constant, rest) in [(right, left), (left, right)] {
            if let Some(inner) = self.literal(constant).and_then(Integer::of)
                && self.scopes.visible(rest).is_some()
            {
                let constant = Expression::Literal(other.with(inner.value + other.value));
                let right = self.free(constant, naga::Span::default());
                return Simpler::Other(Expression::Binary { op: BinaryOperator::Add, left: rest, right });
            }
        }
        Simpler::No
    }

    /// Makes the pass fail if it would write a constant expression that validation rejects: a vector divided by zero,
    /// or shifted by the width or more.
    fn refuse(&mut self, old: Handle<Expression>, op: BinaryOperator, right: Handle<Expression>) {
        use BinaryOperator as Op;
        let shift = matches!(op, Op::ShiftLeft | Op::ShiftRight);
        let TypeInner::Vector { scalar, .. } = *self.types.get(old, &self.module.types) else { return };
        let integers = matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint);
        if !integers || !(shift || matches!(op, Op::Divide | Op::Modulo)) {
            return;
        }
        let bits = i128::from(scalar.width) * 8;
        let mut waiting: SmallVec<[Handle<Expression>; 8]> = SmallVec::from_slice(&[right]);
        while let Some(next) = waiting.pop() {
            match &self.writer.function.expressions[next] {
                Expression::Literal(literal) => {
                    let refused = |integer: Integer| if shift { integer.value >= bits } else { integer.value == 0 };
                    self.failed |= Integer::of(*literal).is_some_and(refused);
                }
                Expression::Splat { value, .. } => waiting.push(*value),
                Expression::Compose { components, .. } => waiting.extend(components.iter().copied()),
                Expression::ZeroValue(_) => self.failed |= !shift,
                _ => {}
            }
        }
    }
}

/// The simpler form of an operation on a known boolean and another boolean.
fn bool_and(op: BinaryOperator, known: bool, other: Handle<Expression>) -> Simpler {
    use BinaryOperator as Op;
    match (op, known) {
        (Op::LogicalAnd | Op::And | Op::Equal, true) | (Op::LogicalOr | Op::InclusiveOr | Op::NotEqual, false) => {
            Simpler::Same(other)
        }
        (Op::LogicalAnd | Op::And, false) => Simpler::Literal(Literal::Bool(false)),
        (Op::LogicalOr | Op::InclusiveOr, true) => Simpler::Literal(Literal::Bool(true)),
        (Op::Equal, false) | (Op::NotEqual, true) => {
            Simpler::Other(Expression::Unary { op: UnaryOperator::LogicalNot, expr: other })
        }
        _ => Simpler::No,
    }
}
