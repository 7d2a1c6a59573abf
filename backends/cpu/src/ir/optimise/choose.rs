//! Branches that only choose a boolean, as arithmetic: naga turns `&&` and `||` into branches that set a variable. If
//! such a branch skips only arithmetic and reads of variables and of fixed places, such as a uniform's member, an `and` or `or` of both
//! sides is equivalent, and later steps can optimise it.

use super::rewrite::Rewriter;
use crate::ir::{BinaryOp, Class, Inst, List, Space, Stmt, UnaryOp, Value, Var};

/// The largest number of instructions on both sides of a branch that is replaced: the result needs only one side.
const MAX_UNNEEDED: usize = 8;

impl Rewriter<'_> {
    /// Replaces a branch that only sets one boolean variable by arithmetic. Returns whether the branch was replaced.
    ///
    /// `self.knowledge` must be the knowledge before the branch.
    pub(super) fn choose(&mut self, condition: Value, accepted: &List, rejected: &List, out: &mut List) -> bool {
        let (Some(accept), Some(reject)) = (self.setting(accepted), self.setting(rejected)) else { return false };
        let var = match (accept.0, reject.0) {
            (Some((a, _)), Some((b, _))) if a != b => return false,
            (Some((var, _)), _) | (None, Some((var, _))) => var,
            (None, None) => return false,
        };
        if self.function.vars[var.0 as usize] != Class::Bool || accept.1 + reject.1 > MAX_UNNEEDED {
            return false;
        }
        let before = self.knowledge.get(var);
        let value = |setting: Option<(Var, Value)>| setting.map(|(_, value)| value).or(before);
        let (Some(x), Some(y)) = (value(accept.0), value(reject.0)) else { return false };
        for list in [accepted, rejected] {
            out.extend(list.iter().filter(|statement| matches!(statement, Stmt::Let(_))).cloned());
        }
        let chosen = match (self.known(x), self.known(y)) {
            (Some(0), _) | (_, Some(1)) => {
                let not = match *self.function.inst(condition) {
                    Inst::Unary(UnaryOp::Not, of) => of,
                    _ => self.append(Inst::Unary(UnaryOp::Not, condition), Class::Bool, out),
                };
                let (op, other) = if self.known(x) == Some(0) { (BinaryOp::And, y) } else { (BinaryOp::Or, x) };
                Inst::Binary(op, not, other)
            }
            (Some(_), _) => Inst::Binary(BinaryOp::Or, condition, y),
            (_, Some(_)) => Inst::Binary(BinaryOp::And, condition, x),
            _ => Inst::Select(condition, x, y),
        };
        let chosen = self.append(chosen, Class::Bool, out);
        out.push(Stmt::Write(var, chosen));
        self.knowledge.set(var, chosen, false);
        true
    }

    /// The variable that a list sets and its value (if the list sets one), and the number of instructions in the list;
    /// `None` if the list does anything else.
    #[allow(clippy::type_complexity)] // used once
    fn setting(&self, list: &List) -> Option<(Option<(Var, Value)>, usize)> {
        let mut set = None;
        for (position, statement) in list.iter().enumerate() {
            match statement {
                Stmt::Let(value) if is_arithmetic(self.function.inst(*value)) => {}
                Stmt::Write(var, value) if position + 1 == list.len() => set = Some((*var, *value)),
                _ => return None,
            }
        }
        Some((set, list.len()))
    }
}

/// Whether an instruction is fast and has no side effects, also where a branch would skip it.
fn is_arithmetic(inst: &Inst) -> bool {
    match inst {
        Inst::Binary(op, ..) => {
            !matches!(op, BinaryOp::Div | BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU)
        }
        Inst::Unary(..) | Inst::Ternary(..) | Inst::Compare(..) | Inst::Select(..) | Inst::Convert(..) => true,
        Inst::Read(_) => true,
        Inst::Load(place, ..) => {
            place.indices.is_empty() && matches!(place.space, Space::Binding(_) | Space::Immediate)
        }
        _ => false,
    }
}
