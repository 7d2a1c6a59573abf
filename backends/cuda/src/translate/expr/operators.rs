//! Unary and binary operators: those of C++ where they have the same meaning, otherwise functions of the prelude.

use naga::{BinaryOperator, Expression, Handle, Scalar, ScalarKind, TypeInner, UnaryOperator};

use super::{Text, bare};
use crate::translate::error::{Result, TranslateError};
use crate::translate::writer::FunctionWriter;

impl FunctionWriter<'_, '_> {
    /// Translates a unary operator.
    pub(super) fn unary(&mut self, op: UnaryOperator, operand: Handle<Expression>) -> Result<Text> {
        let inner = self.type_of(operand);
        let text = self.value(operand)?;
        let is_scalar = matches!(inner, TypeInner::Scalar(_));
        Ok(match (op, inner.scalar()) {
            (UnaryOperator::Negate, Some(Scalar { kind: ScalarKind::Sint, .. })) => {
                Text::tight(format!("aw_neg({})", bare(&text)))
            }
            (UnaryOperator::Negate, _) => Text::loose(format!("-{text}")),
            (UnaryOperator::LogicalNot, _) => Text::loose(format!("!{text}")),
            // C++ promotes smaller integers to 32 bits.
            (UnaryOperator::BitwiseNot, Some(scalar @ Scalar { width: 2, .. })) if is_scalar => {
                Text::tight(format!("{}(~{text})", self.m.inner_name(&TypeInner::Scalar(scalar))))
            }
            (UnaryOperator::BitwiseNot, _) => Text::loose(format!("~{text}")),
        })
    }

    /// Translates a binary operator.
    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Text> {
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        let Some(scalar) = left_type.scalar().or(cooperative_scalar(left_type)) else {
            return Err(TranslateError::invalid("an operator on a type without scalars"));
        };
        let is_scalar = matches!((left_type, right_type), (TypeInner::Scalar(_), TypeInner::Scalar(_)));
        let (left, right) = (self.value(left)?, self.value(right)?);
        match spelling(op, scalar, is_scalar, self.m.checked) {
            Spelling::Operator(operator) => Ok(Text::loose(format!("{left} {operator} {right}"))),
            Spelling::Narrowed(operator) => {
                let name = self.m.inner_name(&TypeInner::Scalar(scalar));
                Ok(Text::tight(format!("{name}({left} {operator} {right})")))
            }
            Spelling::Function(function) => Ok(Text::tight(format!("{function}({}, {})", bare(&left), bare(&right)))),
        }
    }
}

/// The C++ form of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// An operator of C++.
    Operator(&'static str),
    /// An operator of C++ whose result has more bits than the operands, and is converted back.
    Narrowed(&'static str),
    /// A function of the prelude.
    Function(&'static str),
}

fn spelling(op: BinaryOperator, scalar: Scalar, is_scalar: bool, checked: bool) -> Spelling {
    use BinaryOperator as Op;
    use Spelling::{Function, Narrowed, Operator};
    let is_float = scalar.kind == ScalarKind::Float;
    let is_bool = scalar.kind == ScalarKind::Bool;
    let is_narrow = is_scalar && scalar.width == 2 && !is_float;
    // Unsigned integers at least as wide as C++'s promoted type wrap on overflow.
    let wraps = scalar.kind == ScalarKind::Uint && scalar.width >= 4;
    let is_trusted = !checked && !is_float && scalar.width >= 4;
    let bits = |operator| if is_narrow { Narrowed(operator) } else { Operator(operator) };
    match op {
        Op::Add if is_float || wraps => Operator("+"),
        Op::Subtract if is_float || wraps => Operator("-"),
        Op::Multiply if is_float || wraps => Operator("*"),
        Op::Divide if is_float || is_trusted => Operator("/"),
        Op::Modulo if is_trusted => Operator("%"),
        Op::ShiftLeft if is_trusted => Operator("<<"),
        Op::ShiftRight if is_trusted => Operator(">>"),
        Op::Add => Function("aw_add"),
        Op::Subtract => Function("aw_sub"),
        Op::Multiply => Function("aw_mul"),
        Op::Divide => Function("aw_div"),
        Op::Modulo => Function("aw_rem"),
        Op::ShiftLeft => Function("aw_shl"),
        Op::ShiftRight => Function("aw_shr"),
        Op::Equal => Operator("=="),
        Op::NotEqual => Operator("!="),
        Op::Less => Operator("<"),
        Op::LessEqual => Operator("<="),
        Op::Greater => Operator(">"),
        Op::GreaterEqual => Operator(">="),
        // C++'s bitwise operators would return an integer.
        Op::And if is_bool && is_scalar => Operator("&&"),
        Op::InclusiveOr if is_bool && is_scalar => Operator("||"),
        Op::ExclusiveOr if is_bool && is_scalar => Operator("!="),
        Op::And => bits("&"),
        Op::InclusiveOr => bits("|"),
        Op::ExclusiveOr => bits("^"),
        Op::LogicalAnd => Operator("&&"),
        Op::LogicalOr => Operator("||"),
    }
}

fn cooperative_scalar(inner: &TypeInner) -> Option<Scalar> {
    match *inner {
        TypeInner::CooperativeMatrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}
