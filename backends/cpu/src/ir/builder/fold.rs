//! Results of instructions whose operands are known.

use super::super::{BinaryOp, Class};

pub(super) fn commutes(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// Whether `x op y` is `x` for every `x`. Always false for floats, because `-0 + 0` is not `-0`.
pub(super) fn neutral(op: BinaryOp, class: Class, y: u64) -> bool {
    if !matches!(class, Class::I32 | Class::I64) {
        return false;
    }
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => y == 0,
        BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU => y == 0,
        BinaryOp::Mul | BinaryOp::DivU | BinaryOp::DivS => y == 1,
        _ => false,
    }
}

/// The result of `x op y` for the integer operations of index arithmetic; `None` for others.
pub(super) fn fold(op: BinaryOp, class: Class, x: u64, y: u64) -> Option<u64> {
    if !matches!(class, Class::I32 | Class::I64) {
        return None;
    }
    let mask = if class == Class::I32 { 31 } else { 63 };
    Some(match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << (y & mask),
        BinaryOp::ShrU => x >> (y & mask),
        BinaryOp::DivU => x.checked_div(y).unwrap_or(x),
        BinaryOp::RemU => x.checked_rem(y).unwrap_or(0),
        BinaryOp::MinU => x.min(y),
        BinaryOp::MaxU => x.max(y),
        _ => return None,
    })
}
