//! The operands of instructions and statements.

use crate::ir::{Inst, Place, Stmt, Value};

/// Applies `change` to every operand of an instruction. The load that an [`Inst::Part`] belongs to is an operand too.
pub(super) fn of_inst(inst: &mut Inst, change: &mut impl FnMut(&mut Value)) {
    match inst {
        Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Read(_) => {}
        Inst::Unary(_, a) | Inst::Convert(_, a) | Inst::Part { of: a, .. } => change(a),
        Inst::Binary(_, a, b) | Inst::Compare(_, a, b) | Inst::Call(_, a, b) => {
            change(a);
            change(b);
        }
        Inst::Ternary(_, a, b, c) | Inst::Select(a, b, c) => {
            change(a);
            change(b);
            change(c);
        }
        Inst::Load(place, ..) => of_place(place, change),
        Inst::Atomic { place, value, compare, .. } => {
            of_place(place, change);
            change(value);
            compare.iter_mut().for_each(change);
        }
        Inst::Subgroup(_, a, lane) => {
            change(a);
            lane.iter_mut().for_each(change);
        }
    }
}

/// Applies `change` to every operand of a statement, but not to operands of nested statements or of instructions.
pub(super) fn of_stmt(statement: &mut Stmt, change: &mut impl FnMut(&mut Value)) {
    match statement {
        Stmt::Let(value) | Stmt::Declare(_, value) | Stmt::Write(_, value) => change(value),
        Stmt::Store { place, values, .. } => {
            of_place(place, change);
            values.iter_mut().for_each(change);
        }
        Stmt::If { condition, .. } => change(condition),
        Stmt::Call { arguments, .. } => arguments.iter_mut().for_each(change),
        Stmt::Block { .. } | Stmt::Loop { .. } | Stmt::Exit(_) | Stmt::Barrier(_) | Stmt::Check(_) => {}
    }
}

/// Applies `change` to the indices of a place.
fn of_place(place: &mut Place, change: &mut impl FnMut(&mut Value)) {
    for index in &mut place.indices {
        change(&mut index.value);
    }
}
