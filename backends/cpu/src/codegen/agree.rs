//! Conditions on which lanes nearly always agree.
//!
//! `if i < n` compares a value that grows from lane to lane with a uniform one: two scalar comparisons, of the first
//! and the last lane, determine whether all lanes agree, which is true for all groups but the last. The code after such
//! a condition is compiled twice: once without a mask, for groups that agree, and once for the others. `if i == 0` is
//! false in all lanes of nearly all groups, which one scalar comparison determines.

use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};

use super::generator::{Generator, Held};
use super::likely::Conditions;
use crate::ir::{BinaryOp, Class, CompareOp, Function, Inst, Stmt, UnaryOp, Value};

/// Conditions, computed at run time, under which all lanes have the same value of a boolean.
#[derive(Clone, Debug)]
pub(super) struct Agreement {
    /// If these conditions are true, the boolean is true in all lanes.
    pub(super) all: Conditions,
    /// If these conditions are true, the boolean is false in all lanes.
    pub(super) none: Conditions,
    /// The value of the boolean in nearly all groups.
    pub(super) usual: Usual,
}

/// The value that a boolean has in nearly all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// The boolean is true: `i != n`.
    True,
    /// The boolean is false: `i == n`.
    False,
    /// Lanes agree in nearly all groups, on either value: `i < n`.
    Either,
    /// The boolean is uniform, so that other operands of an expression decide.
    Uniform,
}

impl Usual {
    /// The usual value of an expression of `self` and `other` that has the value `certain` if one of them has.
    fn with(self, other: Self, certain: Self) -> Self {
        let either = |usual| self == usual || other == usual;
        match (self, other) {
            _ if either(certain) => certain,
            _ if either(Self::Either) => Self::Either,
            (Self::Uniform, usual) | (usual, _) => usual,
        }
    }

    /// The usual value of the negation.
    fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }
}

/// The largest number of statements that are compiled twice.
const MAX_DOUBLED: usize = 300;

/// The largest number of doubled statements within each other: only the version without a mask has doubled statements
/// of its own.
const MAX_NESTED: u32 = 2;

impl Generator<'_, '_> {
    /// Records the conditions under which lanes agree on the result of an instruction.
    pub(super) fn hold_agreement(&mut self, value: Value, inst: &Inst) {
        // Values that are kept across a barrier are kept as vectors only.
        let kept = matches!(self.values[value.0 as usize], Held::Kept(_));
        if self.function.class(value) != Class::Bool || kept {
            return;
        }
        self.agreements[value.0 as usize] = match *inst {
            Inst::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => self.agreement_of_equality(op, a, b),
            Inst::Compare(op, a, b) => self.agreement_of_comparison(op, a, b),
            Inst::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (Some(a), Some(b)) = (self.agreement(a), self.agreement(b)) else { return };
                Some(if op == BinaryOp::And {
                    let none = self.either(&a.none, &b.none);
                    Agreement { all: both(a.all, b.all), none, usual: a.usual.with(b.usual, Usual::False) }
                } else {
                    let all = self.either(&a.all, &b.all);
                    Agreement { all, none: both(a.none, b.none), usual: a.usual.with(b.usual, Usual::True) }
                })
            }
            Inst::Unary(UnaryOp::Not, a) => {
                self.agreement(a).map(|a| Agreement { all: a.none, none: a.all, usual: a.usual.negated() })
            }
            _ => None,
        };
    }

    /// Returns the conditions under which lanes agree on a boolean, if they are known.
    fn agreement(&mut self, value: Value) -> Option<Agreement> {
        if self.is_uniform(value) {
            let all = self.scalar(value);
            let none = self.b.ins().icmp_imm_s(IntCC::Equal, all, 0);
            return Some(Agreement { all: one(all), none: one(none), usual: Usual::Uniform });
        }
        self.agreements[value.0 as usize].clone()
    }

    /// The condition that all of `a` or all of `b` are true.
    fn either(&mut self, a: &[cl::Value], b: &[cl::Value]) -> Conditions {
        let mut all = |list: &[cl::Value]| list.iter().copied().reduce(|x, y| self.b.ins().band(x, y));
        let sides = [all(a), all(b)].into_iter().flatten();
        sides.reduce(|x, y| self.b.ins().bor(x, y)).into_iter().collect()
    }

    fn agreement_of_comparison(&mut self, op: CompareOp, a: Value, b: Value) -> Option<Agreement> {
        let signed = matches!(op, CompareOp::LtS | CompareOp::LeS);
        if !signed && !matches!(op, CompareOp::LtU | CompareOp::LeU) || self.function.class(a) != Class::I32 {
            return None;
        }
        let stride = |g: &Self, value: Value| g.facts.shapes[value.0 as usize].stride();
        let (grows_left, stride) = match (stride(self, a), stride(self, b)) {
            (Some(stride), Some(0)) if stride > 0 => (true, stride),
            (Some(0), Some(stride)) if stride > 0 => (false, stride),
            _ => return None,
        };
        let wide = |g: &mut Self, value: Value| {
            let scalar = g.scalar(value);
            if signed { g.b.ins().sextend(types::I64, scalar) } else { g.b.ins().uextend(types::I64, scalar) }
        };
        let bound = i64::from(self.facts.shapes[if grows_left { a } else { b }.0 as usize].bound);
        let (a, b) = (wide(self, a), wide(self, b));
        let first = if grows_left { a } else { b };
        // The last lane's value is computed with 64 bits and does not wrap. Where the lanes' own 32-bit arithmetic
        // wraps, the lanes may disagree.
        let reach = i64::from(stride) * (self.target.lanes as i64 - 1);
        let last = self.b.ins().iadd_imm_s(first, reach);
        let most = if signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        let fits = if bound + reach <= most {
            Conditions::new()
        } else {
            one(self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, last, most))
        };
        let strict = matches!(op, CompareOp::LtS | CompareOp::LtU);
        let (holds, fails) = if strict {
            (IntCC::SignedLessThan, IntCC::SignedGreaterThanOrEqual)
        } else {
            (IntCC::SignedLessThanOrEqual, IntCC::SignedGreaterThan)
        };
        // The lane in which the comparison holds last, and the one in which it fails last.
        let (worst, best) = if grows_left { (last, first) } else { (first, last) };
        let (all, none) = if grows_left {
            (self.b.ins().icmp(holds, worst, b), self.b.ins().icmp(fails, best, b))
        } else {
            (self.b.ins().icmp(holds, a, worst), self.b.ins().icmp(fails, a, best))
        };
        // One condition needs no `fits`: there the last lane is not above the other operand, which fits in 32 bits.
        Some(if grows_left {
            Agreement { all: one(all), none: both(one(none), fits), usual: Usual::Either }
        } else {
            Agreement { all: both(one(all), fits), none: one(none), usual: Usual::Either }
        })
    }

    /// The lanes of a growing value differ, so at most one of them equals a uniform value. None does if the distance from
    /// lane 0 is above that of the last lane, also where the value wraps.
    fn agreement_of_equality(&mut self, op: CompareOp, a: Value, b: Value) -> Option<Agreement> {
        if self.function.class(a) != Class::I32 {
            return None;
        }
        let stride = |value: Value| self.facts.shapes[value.0 as usize].stride();
        let (grows, other, stride) = match (stride(a), stride(b)) {
            (Some(stride), Some(0)) if stride > 0 => (a, b, stride),
            (Some(0), Some(stride)) if stride > 0 => (b, a, stride),
            _ => return None,
        };
        let reach = u32::try_from(i64::from(stride) * (self.target.lanes as i64 - 1)).ok()?;
        let (first, other) = (self.scalar(grows), self.scalar(other));
        let distance = self.b.ins().isub(other, first);
        let reach = self.b.ins().iconst(types::I32, i64::from(reach));
        let differ = self.b.ins().icmp(IntCC::UnsignedGreaterThan, distance, reach);
        let never = self.b.ins().iconst(types::I8, 0);
        Some(if op == CompareOp::Eq {
            Agreement { all: one(never), none: one(differ), usual: Usual::False }
        } else {
            Agreement { all: one(differ), none: one(never), usual: Usual::True }
        })
    }

    /// Compiles the first statement of `branch` and those after it in two versions, if that statement is an `If` and
    /// lanes nearly always agree on its condition. Returns whether they were compiled.
    pub(super) fn doubled(&mut self, branch: &[Stmt]) -> bool {
        let Some(Stmt::If { condition, accept, reject }) = branch.first() else { return false };
        let Some(agreement) = self.agreements[condition.0 as usize].clone() else { return false };
        if self.is_uniform(*condition) || self.flow.doubled >= MAX_NESTED || !self.function.checks.is_empty() {
            return false;
        }
        let leaves = reject.is_empty() && matches!(accept.last(), Some(Stmt::Exit(_)));
        let rejects = agreement.usual == Usual::False;
        if leaves && agreement.usual == Usual::True {
            return false;
        }
        // After an early return, the code that follows is compiled twice; for any other branch only its own statements.
        let (mut conditions, fast) = match leaves {
            true => (agreement.none, &branch[1..]),
            false if rejects => (agreement.none, reject.as_slice()),
            false => (agreement.all, accept.as_slice()),
        };
        let doubled = if leaves { branch } else { &branch[..1] };
        if size(doubled).is_none_or(|size| size > MAX_DOUBLED) {
            return false;
        }
        let pays = |list| pays(list, self.function);
        if !(pays(fast) || rejects && pays(accept)) {
            return false;
        }
        let nested = self.flow.doubled;
        let (on_fast, on_slow, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(on_slow);
        let tested = self.tested.len();
        conditions.extend(self.test_early(fast));
        self.require(&conditions, on_slow);
        self.b.ins().jump(on_fast, &[]);
        let (masked, writes) = (self.flow.masked, self.flow.writes);
        let mut ends = (false, false);
        for (block, on_fast) in [(on_fast, true), (on_slow, false)] {
            self.flow.rare = !on_fast;
            self.flow.doubled = if on_fast { nested + 1 } else { MAX_NESTED };
            self.switch_sealed(block);
            (self.flow.reachable, self.flow.masked, self.flow.writes) = (true, masked, writes);
            if on_fast {
                // `masked` is indexed by the number of a write, so writes in the omitted statements count too.
                if leaves || rejects {
                    self.flow.writes += count_writes(accept);
                }
                self.list(fast);
                if !leaves && !rejects {
                    self.flow.writes += count_writes(reject);
                }
                self.tested.truncate(tested);
            } else {
                self.list(doubled);
            }
            if self.flow.reachable {
                self.b.ins().jump(join, &[]);
                ends = (true, ends.1 || self.flow.masked);
            }
        }
        self.flow.rare = false;
        self.switch_sealed(join);
        (self.flow.reachable, self.flow.masked) = ends;
        self.flow.doubled = nested;
        if !leaves {
            self.list(&branch[1..]);
        }
        true
    }
}

fn one(condition: cl::Value) -> Conditions {
    Conditions::from_slice(&[condition])
}

fn both(mut a: Conditions, b: Conditions) -> Conditions {
    a.extend(b);
    a
}

/// Whether statements cost more under a mask than the test of an agreement. A read has no mask, but tests of its indices
/// are simpler, and a write of what it returns needs no blend.
fn pays(statements: &[Stmt], function: &Function) -> bool {
    let reads = |statement: &Stmt| match statement {
        Stmt::Let(value) => matches!(function.inst(*value), Inst::Load(place, ..) if !place.space.is_private()),
        _ => false,
    };
    super::flow::is_heavy(statements) || statements.iter().any(reads)
}

/// The number of statements, including nested ones; `None` if one of them cannot be compiled twice.
fn size(statements: &[Stmt]) -> Option<usize> {
    let mut sum = statements.len();
    for statement in statements {
        sum += match statement {
            Stmt::If { accept, reject, .. } => size(accept)? + size(reject)?,
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => size(body)?,
            Stmt::Barrier(_) | Stmt::Check(_) => return None,
            _ => 0,
        };
    }
    Some(sum)
}

pub(super) fn count_writes(statements: &[Stmt]) -> usize {
    statements
        .iter()
        .map(|statement| match statement {
            Stmt::Write(..) => 1,
            Stmt::If { accept, reject, .. } => count_writes(accept) + count_writes(reject),
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => count_writes(body),
            _ => 0,
        })
        .sum()
}
