//! Folds operations on known integers and booleans, as WGSL defines them.
//!
//! Sums wrap; a division by zero returns the dividend, and its remainder is zero; amounts of shifts are taken modulo
//! the width. Floats are not computed, so that every result keeps its bits.

use naga::{BinaryOperator, Literal, MathFunction, ScalarKind, UnaryOperator};

/// An integer with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    /// The numeric value.
    pub(super) value: i128,
    signed: bool,
    bits: u32,
}

impl Integer {
    /// The integer of a literal; `None` for other types.
    pub(super) fn of(literal: Literal) -> Option<Self> {
        let (value, signed, bits) = match literal {
            Literal::U16(value) => (value.into(), false, 16),
            Literal::I16(value) => (value.into(), true, 16),
            Literal::U32(value) => (value.into(), false, 32),
            Literal::I32(value) => (value.into(), true, 32),
            Literal::U64(value) => (value.into(), false, 64),
            Literal::I64(value) => (value.into(), true, 64),
            _ => return None,
        };
        Some(Self { value, signed, bits })
    }

    /// `value` as a literal of this integer's type, wrapped to its width.
    pub(super) fn with(self, value: i128) -> Literal {
        wrap(value, self.signed, self.bits)
    }

    /// Whether all bits of the integer are 1.
    pub(super) fn is_full(self) -> bool {
        if self.signed { self.value == -1 } else { self.value == (1 << self.bits) - 1 }
    }

    /// The bits of the integer, with zeros above its width.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "only the bits are used")]
    fn pattern(self) -> u64 {
        self.value as u64 & mask(self.bits)
    }

    /// The effective amount of a shift by this integer, where the shifted integer has `shifted_bits` bits.
    pub(super) fn amount(self, shifted_bits: u32) -> u32 {
        u32::try_from(self.value.rem_euclid(shifted_bits.into())).unwrap_or(0)
    }
}

/// The literal of the type with this signedness and number of bits, from the low bits of `value`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value wraps")]
fn wrap(value: i128, signed: bool, bits: u32) -> Literal {
    match (signed, bits) {
        (false, 16) => Literal::U16(value as u16),
        (true, 16) => Literal::I16(value as i16),
        (false, 32) => Literal::U32(value as u32),
        (true, 32) => Literal::I32(value as i32),
        (false, _) => Literal::U64(value as u64),
        (true, _) => Literal::I64(value as i64),
    }
}

/// The result of an operation on two known operands.
pub(super) fn binary(op: BinaryOperator, left: Literal, right: Literal) -> Option<Literal> {
    use BinaryOperator as Op;
    if let (Literal::Bool(left), Literal::Bool(right)) = (left, right) {
        return Some(Literal::Bool(match op {
            Op::Equal => left == right,
            Op::NotEqual | Op::ExclusiveOr => left != right,
            Op::LogicalAnd | Op::And => left && right,
            Op::LogicalOr | Op::InclusiveOr => left || right,
            _ => return None,
        }));
    }
    let (left, right) = (Integer::of(left)?, Integer::of(right)?);
    let (a, b) = (left.value, right.value);
    let value = match op {
        Op::ShiftLeft => a << right.amount(left.bits),
        Op::ShiftRight => a >> right.amount(left.bits),
        _ if (left.signed, left.bits) != (right.signed, right.bits) => return None,
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a.wrapping_mul(b),
        Op::Divide if b == 0 => a,
        Op::Divide => a / b,
        Op::Modulo if b == 0 => 0,
        Op::Modulo => a % b,
        Op::And => a & b,
        Op::ExclusiveOr => a ^ b,
        Op::InclusiveOr => a | b,
        Op::Equal => return Some(Literal::Bool(a == b)),
        Op::NotEqual => return Some(Literal::Bool(a != b)),
        Op::Less => return Some(Literal::Bool(a < b)),
        Op::LessEqual => return Some(Literal::Bool(a <= b)),
        Op::Greater => return Some(Literal::Bool(a > b)),
        Op::GreaterEqual => return Some(Literal::Bool(a >= b)),
        Op::LogicalAnd | Op::LogicalOr => return None,
    };
    Some(left.with(value))
}

/// The result of an operation on a known operand.
pub(super) fn unary(op: UnaryOperator, operand: Literal) -> Option<Literal> {
    if let Literal::Bool(operand) = operand {
        return (op == UnaryOperator::LogicalNot).then_some(Literal::Bool(!operand));
    }
    let operand = Integer::of(operand)?;
    match op {
        UnaryOperator::Negate => Some(operand.with(-operand.value)),
        UnaryOperator::BitwiseNot => Some(operand.with(!operand.value)),
        UnaryOperator::LogicalNot => None,
    }
}

/// The result of a cast of a known operand; casts to floats are folded only if they are exact.
pub(super) fn cast(operand: Literal, kind: ScalarKind, convert: Option<u8>) -> Option<Literal> {
    const EXACT_IN_F32: i128 = 1 << 24;
    let (value, bits) = match operand {
        Literal::Bool(value) => {
            convert?;
            (value.into(), 32)
        }
        _ => {
            let operand = Integer::of(operand)?;
            (operand.value, operand.bits)
        }
    };
    let bits = convert.map_or(bits, |width| u32::from(width) * 8);
    match kind {
        ScalarKind::Sint | ScalarKind::Uint => {
            matches!(bits, 16 | 32 | 64).then(|| wrap(value, kind == ScalarKind::Sint, bits))
        }
        ScalarKind::Bool => convert.map(|_| Literal::Bool(value != 0)),
        #[expect(clippy::cast_precision_loss, reason = "integers up to 2^24 are exact")]
        ScalarKind::Float if convert == Some(4) && value.abs() <= EXACT_IN_F32 => Some(Literal::F32(value as f32)),
        _ => None,
    }
}

/// The result of a built-in function on known operands.
pub(super) fn math(fun: MathFunction, operands: &[Literal]) -> Option<Literal> {
    let mut integers = [Integer::of(*operands.first()?)?; 3];
    for (integer, literal) in integers.iter_mut().zip(operands) {
        *integer = Integer::of(*literal)?;
    }
    let [first, second, third] = integers;
    let value = match (fun, operands.len()) {
        (MathFunction::Min, 2) => first.value.min(second.value),
        (MathFunction::Max, 2) => first.value.max(second.value),
        (MathFunction::Clamp, 3) => first.value.max(second.value).min(third.value),
        (MathFunction::Abs, 1) => first.value.abs(),
        (MathFunction::Sign, 1) => first.value.signum(),
        (fun, 1) => return of_bits(fun, first),
        _ => return None,
    };
    Some(first.with(value))
}

/// The result of a built-in function on the bits of an integer; -1 if the function searches for a bit without success.
fn of_bits(fun: MathFunction, operand: Integer) -> Option<Literal> {
    let width = operand.bits;
    let ones = operand.pattern();
    let highest = |bits: u64| i128::from(bits.checked_ilog2().map_or(-1, i64::from));
    let lowest = |bits: u64| if bits == 0 { -1 } else { i128::from(bits.trailing_zeros()) };
    let value = match fun {
        MathFunction::CountOneBits => ones.count_ones().into(),
        MathFunction::CountLeadingZeros => i128::from(width) - 1 - highest(ones),
        MathFunction::CountTrailingZeros => ones.trailing_zeros().min(width).into(),
        MathFunction::ReverseBits => (ones.reverse_bits() >> (u64::BITS - width)).into(),
        // For a negative integer, the first leading bit is the highest bit that is 0.
        MathFunction::FirstLeadingBit if operand.value < 0 => highest(!ones & mask(width)),
        MathFunction::FirstLeadingBit => highest(ones),
        MathFunction::FirstTrailingBit => lowest(ones),
        _ => return None,
    };
    Some(operand.with(value))
}

/// A mask of the `bits` lowest bits.
fn mask(bits: u32) -> u64 {
    u64::MAX >> (u64::BITS - bits)
}

#[cfg(test)]
mod tests {
    use naga::BinaryOperator as Op;

    use super::*;

    #[test]
    fn integers_wrap_as_in_wgsl() {
        let u = Literal::U32;
        let i = Literal::I32;
        let cases = [
            (Op::Add, u(u32::MAX), u(1), u(0)),
            (Op::Subtract, u(0), u(1), u(u32::MAX)),
            (Op::Multiply, i(i32::MAX), i(2), i(-2)),
            (Op::Divide, i(7), i(0), i(7)),
            (Op::Divide, i(i32::MIN), i(-1), i(i32::MIN)),
            (Op::Divide, i(-7), i(2), i(-3)),
            (Op::Modulo, u(7), u(0), u(0)),
            (Op::Modulo, i(-7), i(2), i(-1)),
            (Op::Modulo, i(i32::MIN), i(-1), i(0)),
            (Op::ShiftLeft, u(1), u(33), u(2)),
            (Op::ShiftRight, i(-8), u(1), i(-4)),
            (Op::ShiftRight, u(0x8000_0000), u(31), u(1)),
            (Op::Less, i(-1), i(0), Literal::Bool(true)),
            (Op::Less, u(u32::MAX), u(0), Literal::Bool(false)),
            (Op::Multiply, Literal::U64(u64::MAX), Literal::U64(u64::MAX), Literal::U64(1)),
            (Op::And, i(-1), i(6), i(6)),
        ];
        for (op, left, right, expected) in cases {
            assert_eq!(binary(op, left, right), Some(expected), "{left:?} {op:?} {right:?}");
        }
        let [yes, no] = [true, false].map(Literal::Bool);
        assert_eq!([binary(Op::ExclusiveOr, yes, yes), binary(Op::ExclusiveOr, yes, no)], [Some(no), Some(yes)]);
        assert_eq!(binary(Op::Add, Literal::F32(1.0), Literal::F32(1.0)), None, "floats are not folded");
    }

    #[test]
    fn casts_fold() {
        let cases = [
            (Literal::I32(-1), ScalarKind::Uint, Some(4), Some(Literal::U32(u32::MAX))),
            (Literal::I32(-1), ScalarKind::Uint, Some(8), Some(Literal::U64(u64::MAX))),
            (Literal::U32(u32::MAX), ScalarKind::Sint, Some(8), Some(Literal::I64(u32::MAX.into()))),
            (Literal::U32(u32::MAX), ScalarKind::Sint, None, Some(Literal::I32(-1))),
            (Literal::Bool(true), ScalarKind::Sint, Some(4), Some(Literal::I32(1))),
            (Literal::Bool(true), ScalarKind::Sint, None, None),
            (Literal::U32(3), ScalarKind::Bool, Some(1), Some(Literal::Bool(true))),
            (Literal::U32(3), ScalarKind::Float, Some(4), Some(Literal::F32(3.0))),
            (Literal::U32(u32::MAX), ScalarKind::Float, Some(4), None),
            (Literal::U32(3), ScalarKind::Float, None, None),
        ];
        for (from, kind, convert, expected) in cases {
            assert_eq!(cast(from, kind, convert), expected, "{from:?} to {kind:?} of {convert:?} bytes");
        }
    }

    #[test]
    fn functions_of_integers_fold() {
        let i = Literal::I32;
        assert_eq!(math(MathFunction::Min, &[i(-1), i(2)]), Some(i(-1)));
        assert_eq!(math(MathFunction::Clamp, &[i(9), i(0), i(5)]), Some(i(5)));
        assert_eq!(math(MathFunction::Abs, &[i(i32::MIN)]), Some(i(i32::MIN)));
        assert_eq!(math(MathFunction::Sign, &[i(-7)]), Some(i(-1)));
        assert_eq!(math(MathFunction::Max, &[Literal::F32(0.0), Literal::F32(1.0)]), None);
    }

    #[test]
    fn functions_of_bits_fold() {
        use MathFunction as Fun;
        for value in [0, 1, 2, 3, 0x10, 0xFF00, 0x8000_0000, 0x8000_0001, 0x7FFF_FFFF, 0xFFFF_FFFE, u32::MAX] {
            let u = Literal::U32;
            let highest = if value == 0 { u32::MAX } else { 31 - value.leading_zeros() };
            let lowest = if value == 0 { u32::MAX } else { value.trailing_zeros() };
            for (fun, expected) in [
                (Fun::CountOneBits, value.count_ones()),
                (Fun::CountLeadingZeros, value.leading_zeros()),
                (Fun::CountTrailingZeros, value.trailing_zeros()),
                (Fun::ReverseBits, value.reverse_bits()),
                (Fun::FirstLeadingBit, highest),
                (Fun::FirstTrailingBit, lowest),
            ] {
                assert_eq!(math(fun, &[u(value)]), Some(u(expected)), "{fun:?} of {value:#x}");
            }
        }
        for (fun, operand, expected) in [
            (Fun::FirstLeadingBit, Literal::I32(-1), Literal::I32(-1)),
            (Fun::FirstLeadingBit, Literal::I32(-2), Literal::I32(0)),
            (Fun::FirstLeadingBit, Literal::I32(i32::MIN), Literal::I32(30)),
            (Fun::CountOneBits, Literal::I32(-1), Literal::I32(32)),
            (Fun::CountLeadingZeros, Literal::I32(-1), Literal::I32(0)),
            (Fun::CountLeadingZeros, Literal::U16(1), Literal::U16(15)),
            (Fun::CountTrailingZeros, Literal::I64(0), Literal::I64(64)),
            (Fun::ReverseBits, Literal::U64(1), Literal::U64(1 << 63)),
            (Fun::ReverseBits, Literal::I16(1), Literal::I16(i16::MIN)),
        ] {
            assert_eq!(math(fun, &[operand]), Some(expected), "{fun:?} of {operand:?}");
        }
    }
}
