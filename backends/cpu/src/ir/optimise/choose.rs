//! `&&` and `||` are branches that set a variable. If a branch skips arithmetic only, an `and` or `or` of both sides is
//! equivalent, and later steps can optimise it.

use super::rewrite::Rewriter;
use crate::ir::{BinaryOp, Class, Inst, List, Stmt, UnaryOp, Value, Var};

/// The largest number of instructions that may be computed without need.
const MAX_UNNEEDED: usize = 8;

impl Rewriter<'_> {
    /// Replaces a branch that only sets one boolean by arithmetic. Returns whether it did.
    ///
    /// The current knowledge must be that before the branch.
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
                let not = self.append(Inst::Unary(UnaryOp::Not, condition), Class::Bool, out);
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

    /// The variable and value that a list sets, if it does nothing else, and the number of its instructions.
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

/// Whether an instruction only computes, and is fast.
fn is_arithmetic(inst: &Inst) -> bool {
    match inst {
        Inst::Binary(op, ..) => {
            !matches!(op, BinaryOp::Div | BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU)
        }
        Inst::Unary(..) | Inst::Compare(..) | Inst::Select(..) | Inst::Convert(..) => true,
        _ => false,
    }
}
