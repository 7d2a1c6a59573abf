//! Values that are known in each lane, because they depend only on constants and on the number of the lane.

use crate::abi::LANES;
use crate::ir::{BinaryOp, Class, CompareOp, Function, Input, Inst, Value};

/// The value in each lane, modulo the number of lanes, if it is an expression of constants and the lane's own number.
/// Shuffles use it as the number of the lane to read.
pub(crate) fn known_lanes(function: &Function, value: Value) -> Option<[u8; LANES]> {
    // Only short expressions: an operand that is used twice is evaluated twice.
    lanes_within(function, value, 4)
}

fn lanes_within(function: &Function, value: Value, depth: usize) -> Option<[u8; LANES]> {
    let lanes = match function.inst(value) {
        Inst::Const(Class::I32, bits) => [*bits as u8; LANES],
        Inst::Input(Input::Lane) => std::array::from_fn(|lane| lane as u8),
        Inst::Binary(op, a, b) => {
            let combine: fn(u8, u8) -> u8 = match op {
                BinaryOp::Add => u8::wrapping_add,
                BinaryOp::Sub => u8::wrapping_sub,
                BinaryOp::And => |a, b| a & b,
                BinaryOp::Or => |a, b| a | b,
                BinaryOp::Xor => |a, b| a ^ b,
                _ => return None,
            };
            let operand = |value| lanes_within(function, value, depth.checked_sub(1)?);
            let (a, b) = (operand(*a)?, operand(*b)?);
            std::array::from_fn(|lane| combine(a[lane], b[lane]))
        }
        _ => return None,
    };
    // The low bits of these operations depend on the low bits of their operands alone.
    Some(lanes.map(|lane| lane % LANES as u8))
}

/// The result in each lane of a comparison between the lane's number and a constant.
pub(crate) fn known_comparison(function: &Function, op: CompareOp, a: Value, b: Value) -> Option<[bool; LANES]> {
    let operand = |value| match function.inst(value) {
        Inst::Const(Class::I32, bits) => Some([*bits as u32; LANES]),
        Inst::Input(Input::Lane) => Some(std::array::from_fn(|lane| lane as u32)),
        _ => None,
    };
    let (a, b) = (operand(a)?, operand(b)?);
    Some(std::array::from_fn(|lane| match op {
        CompareOp::Eq => a[lane] == b[lane],
        CompareOp::Ne => a[lane] != b[lane],
        CompareOp::Lt | CompareOp::LtU => a[lane] < b[lane],
        CompareOp::Le | CompareOp::LeU => a[lane] <= b[lane],
        CompareOp::LtS => (a[lane] as i32) < b[lane] as i32,
        CompareOp::LeS => a[lane] as i32 <= b[lane] as i32,
    }))
}
