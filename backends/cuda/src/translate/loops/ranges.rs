//! How large numbers can be, and comparisons turned around.

use naga::{BinaryOperator as Op, Expression, Handle, Literal, LocalVariable, MathFunction};

use super::Sight;

impl Sight<'_> {
    /// The least and the most that the counter's type holds; `None` unless that is 32 bits.
    pub(super) fn range_of_type(&self, counter: Handle<LocalVariable>) -> Option<(i64, i64)> {
        match self.module.types[self.function.local_variables[counter].ty].inner.scalar()? {
            naga::Scalar::I32 => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            naga::Scalar::U32 => Some((0, i64::from(u32::MAX))),
            _ => None,
        }
    }

    /// The least and the most that a number can be.
    pub(super) fn range(&self, handle: Handle<Expression>, (least, most): (i64, i64)) -> (i64, i64) {
        if let Some(number) = self.number(handle) {
            return (number, number);
        }
        match self.function.expressions[handle] {
            Expression::Binary { op: Op::Divide, left, right } => match self.number(right) {
                Some(by) if by >= 1 => {
                    let (low, high) = self.range(left, (least, most));
                    (low / by, high / by)
                }
                _ => (least, most),
            },
            Expression::Binary { op: Op::ShiftRight, left, right } => match self.number(right) {
                Some(by @ 0..32) => {
                    let (low, high) = self.range(left, (least, most));
                    (low >> by, high >> by)
                }
                _ => (least, most),
            },
            Expression::Binary { op: Op::Modulo, right, .. } if least == 0 => match self.number(right) {
                Some(by) if by >= 1 => (0, by - 1),
                _ => (least, most),
            },
            Expression::Math { fun: MathFunction::Min, arg, arg1: Some(other), .. } => {
                let (one, two) = (self.range(arg, (least, most)), self.range(other, (least, most)));
                (one.0.min(two.0), one.1.min(two.1))
            }
            _ => (least, most),
        }
    }

    /// A number that is known.
    pub(super) fn number(&self, handle: Handle<Expression>) -> Option<i64> {
        let expression = match self.function.expressions[handle] {
            Expression::Constant(constant) => &self.module.global_expressions[self.module.constants[constant].init],
            ref other => other,
        };
        match *expression {
            Expression::Literal(Literal::I32(value)) => Some(i64::from(value)),
            Expression::Literal(Literal::U32(value)) => Some(i64::from(value)),
            _ => None,
        }
    }
}

/// The operator that is true where this one is false, among integers.
pub(super) fn negated(op: Op) -> Option<Op> {
    Some(match op {
        Op::Less => Op::GreaterEqual,
        Op::LessEqual => Op::Greater,
        Op::Greater => Op::LessEqual,
        Op::GreaterEqual => Op::Less,
        Op::Equal => Op::NotEqual,
        Op::NotEqual => Op::Equal,
        _ => return None,
    })
}

/// The operator with its operands exchanged.
pub(super) fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::Less => Op::Greater,
        Op::LessEqual => Op::GreaterEqual,
        Op::Greater => Op::Less,
        Op::GreaterEqual => Op::LessEqual,
        Op::Equal | Op::NotEqual => op,
        _ => return None,
    })
}
