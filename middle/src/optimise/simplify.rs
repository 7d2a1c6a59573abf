//! Simpler forms of expressions with known operands.
//!
//! Only exact ones: integers, booleans, and moves of values.

use naga::{
    ArraySize, BinaryOperator, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind, TypeInner,
    UnaryOperator,
};
use smallvec::SmallVec;

use super::fold::{self, Integer};
use super::rewrite::Rewriter;

/// The simpler form of an expression.
pub(super) enum Simpler {
    /// None.
    No,
    /// An existing expression.
    Same(Handle<Expression>),
    Literal(Literal),
    /// Another expression, which may have a simpler form itself.
    Other(Expression),
}

impl From<Option<Literal>> for Simpler {
    fn from(literal: Option<Literal>) -> Self {
        literal.map_or(Self::No, Self::Literal)
    }
}

impl Rewriter<'_> {
    /// The simpler form of `expression`, which has new operands; `old` is the expression of the source, with its type.
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
            // With `low > high`, `clamp` returns `high`. WGSL rejects such constants, so they cannot be written.
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

    /// Whether two constant integers are known and the first is larger.
    fn crossed(&self, low: Handle<Expression>, high: Handle<Expression>) -> bool {
        let [low, high] = [low, high].map(|bound| self.literal(bound).and_then(Integer::of));
        matches!((low, high), (Some(low), Some(high)) if low.value > high.value)
    }

    fn simpler_unary(&self, op: UnaryOperator, operand: Handle<Expression>) -> Simpler {
        if let Some(literal) = self.literal(operand) {
            return fold::unary(op, literal).into();
        }
        match self.writer.function.expressions[operand] {
            // `!!x` and `~~x` are `x`. `-(-x)` may change the sign of a NaN.
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

    /// `(x + a) + b` as `x + (a + b)`, which is the same even if it wraps.
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

    /// Fails on constants that validation rejects: vectors divided by zero, and shifts by the width or more.
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

    /// A vector composed of scalars in place of constant vectors, for which naga writes invalid SPIR-V.
    fn simpler_vector(
        &mut self,
        ty: Handle<naga::Type>,
        scalar: naga::Scalar,
        components: &[Handle<Expression>],
    ) -> Simpler {
        let mut scalars = Vec::with_capacity(4);
        for component in components {
            let expression = self.writer.function.expressions[*component].clone();
            match expression {
                Expression::Compose { components, .. } => scalars.extend(components),
                Expression::Splat { size, value } => scalars.extend(std::iter::repeat_n(value, size as usize)),
                Expression::ZeroValue(_) | Expression::Constant(_) if self.lanes(*component) > 0 => {
                    for at in 0..self.lanes(*component) {
                        let literal = match expression {
                            Expression::ZeroValue(_) => Literal::zero(scalar),
                            _ => self.constant_component(*component, at).and_then(|found| {
                                match self.module.global_expressions[found] {
                                    Expression::Literal(literal) => Some(literal),
                                    Expression::ZeroValue(_) => Literal::zero(scalar),
                                    _ => None,
                                }
                            }),
                        };
                        let Some(literal) = literal else { return Simpler::No };
                        scalars.push(self.free(Expression::Literal(literal), naga::Span::default()));
                    }
                }
                _ => scalars.push(*component),
            }
        }
        if scalars.len() == components.len() {
            return Simpler::No;
        }
        Simpler::Other(Expression::Compose { ty, components: scalars })
    }

    /// The number of components of a new expression that is a constant or a zero value; 0 for others.
    fn lanes(&self, constant: Handle<Expression>) -> usize {
        let ty = match self.writer.function.expressions[constant] {
            Expression::ZeroValue(ty) => ty,
            Expression::Constant(constant) => self.module.constants[constant].ty,
            _ => return 0,
        };
        match self.module.types[ty].inner {
            TypeInner::Vector { size, .. } => size as usize,
            _ => 0,
        }
    }

    fn simpler_access(
        &mut self,
        old: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Simpler {
        let Some(literal) = self.literal(index) else { return Simpler::No };
        let Expression::Access { base: old_base, .. } = self.source.expressions[old] else { return Simpler::No };
        let length = |inner: &TypeInner| match *inner {
            TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => Some(size as u32),
            TypeInner::Matrix { columns, .. } => Some(columns as u32),
            TypeInner::Array { size: ArraySize::Constant(size), .. } => Some(size.get()),
            _ => None,
        };
        let length = match *self.types.get(old_base, &self.module.types) {
            TypeInner::Pointer { base, .. } => length(&self.module.types[base].inner),
            ref inner => length(inner),
        };
        match self.index(literal, length) {
            Some(index) => Simpler::Other(Expression::AccessIndex { base, index }),
            // naga rejects a negative constant. The same bits as an unsigned number are out of range, too.
            None => match literal {
                Literal::I32(number @ ..0) => {
                    let span = self.source.expressions.get_span(old);
                    let index = self.free(Expression::Literal(Literal::U32(number.cast_unsigned())), span);
                    Simpler::Other(Expression::Access { base, index })
                }
                _ => Simpler::No,
            },
        }
    }

    fn simpler_component(&self, old: Handle<Expression>, base: Handle<Expression>, index: u32) -> Simpler {
        let at = index as usize;
        match &self.writer.function.expressions[base] {
            Expression::Compose { ty, components } => {
                let whole = match &self.module.types[*ty].inner {
                    TypeInner::Vector { size, .. } => *size as usize,
                    _ => components.len(),
                };
                match components.get(at) {
                    // A vector that is composed of vectors has fewer operands than components.
                    Some(component) if components.len() == whole => Simpler::Same(*component),
                    _ => Simpler::No,
                }
            }
            Expression::Splat { value, .. } => Simpler::Same(*value),
            Expression::Swizzle { vector, pattern, .. } => match pattern.get(at) {
                Some(component) => Simpler::Other(Expression::AccessIndex { base: *vector, index: *component as u32 }),
                None => Simpler::No,
            },
            Expression::ZeroValue(_) => match self.scalar(old).and_then(Literal::zero) {
                Some(literal) => Simpler::Literal(literal),
                None => Simpler::No,
            },
            Expression::Constant(_) | Expression::AccessIndex { .. } => {
                let global = &self.module.global_expressions;
                match self.constant_component(base, at).map(|found| &global[found]) {
                    Some(Expression::Literal(literal)) => Simpler::Literal(*literal),
                    Some(Expression::ZeroValue(_)) => self.scalar(old).and_then(Literal::zero).into(),
                    _ => Simpler::No,
                }
            }
            _ => Simpler::No,
        }
    }

    /// A component of a constant, or of a component of one.
    fn constant_component(&self, base: Handle<Expression>, at: usize) -> Option<Handle<Expression>> {
        let global = &self.module.global_expressions;
        let mut path: SmallVec<[usize; 4]> = SmallVec::from_slice(&[at]);
        let mut base = base;
        let mut found = loop {
            match self.writer.function.expressions[base] {
                Expression::AccessIndex { base: outer, index } if path.len() < 8 => {
                    path.push(index as usize);
                    base = outer;
                }
                Expression::Constant(constant) => break self.module.constants[constant].init,
                _ => return None,
            }
        };
        while let Some(at) = path.pop() {
            found = match &global[found] {
                Expression::Compose { ty, components } => match self.module.types[*ty].inner {
                    // A vector that is composed of vectors has fewer operands than components.
                    TypeInner::Vector { size, .. } if size as usize != components.len() => return None,
                    _ => *components.get(at)?,
                },
                Expression::Splat { value, .. } => *value,
                Expression::Constant(constant) => {
                    path.push(at);
                    self.module.constants[*constant].init
                }
                Expression::ZeroValue(_) => return Some(found),
                _ => return None,
            };
        }
        Some(found)
    }
}

/// The simpler form of an operation on a known and another boolean.
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
