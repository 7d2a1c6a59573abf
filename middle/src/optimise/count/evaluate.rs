//! The values of expressions in one iteration, and the cost of the expressions that remain after unrolling.

use naga::{AddressSpace, Expression, Handle, Literal};
use smallvec::SmallVec;

use super::Run;
use crate::optimise::fold;
use crate::optimise::known::{self, Known};
use crate::optimise::memory::Target;
use crate::optimise::text;

/// The known values that expressions of the old function have in the current iteration.
#[derive(Default)]
pub(in crate::optimise) struct Values {
    /// By expression: the number of the execution that set the entry, the value, whether the value differs between
    /// iterations, and the mask of loops on whose iteration the value depends.
    of: Vec<(u32, Option<Literal>, bool, u64)>,
    /// The number of the current execution; entries of other executions are invalid.
    run: u32,
}

impl Values {
    /// Begins a new execution, which invalidates all entries, in a function with `count` expressions.
    pub(super) fn start(&mut self, count: usize) {
        self.of.resize(count, (0, None, false, 0));
        self.run += 1;
    }

    pub(super) fn set(&mut self, at: Handle<Expression>, value: Option<Literal>, varies: bool, mask: u64) {
        self.of[at.index()] = (self.run, value, varies, mask);
    }

    fn get(&self, at: Handle<Expression>) -> Option<Option<Literal>> {
        let (run, value, ..) = self.of[at.index()];
        (run == self.run).then_some(value)
    }

    pub(super) fn varies(&self, at: Handle<Expression>) -> bool {
        let (run, _, varies, _) = self.of[at.index()];
        run == self.run && varies
    }

    pub(super) fn mask(&self, at: Handle<Expression>) -> u64 {
        let (run, .., mask) = self.of[at.index()];
        if run == self.run { mask } else { 0 }
    }
}

impl Run<'_, '_> {
    pub(super) fn literal(&self, old: Handle<Expression>) -> Option<Literal> {
        if let Some(value) = self.values.get(old) {
            return value;
        }
        let rewriter = self.rewriter;
        rewriter.constant(old).or_else(|| rewriter.literal(rewriter.map[old.index()]?))
    }

    /// The bit of the current loop in masks of loops.
    pub(super) fn bit(&self) -> u64 {
        1 << self.level.min(63)
    }

    /// The value of a load, whether the value differs between iterations, and the mask of loops on whose iteration the
    /// value depends.
    fn load(&self, pointer: Handle<Expression>) -> (Option<Literal>, bool, u64) {
        let rewriter = self.rewriter;
        if let Target::Local(local, true) = rewriter.target(pointer) {
            return match self.vars.get(&local.index()) {
                Some(value) => (*value, value.is_some(), self.masks.get(&local.index()).copied().unwrap_or(0)),
                None => {
                    let held = rewriter.memory.get(local, &rewriter.scopes);
                    (held.and_then(|value| rewriter.literal(value)), false, 0)
                }
            };
        }
        let index_of = |index| self.literal(index);
        let expressions = &rewriter.source.expressions;
        let value = match known::load(rewriter.module, rewriter.circumstances, expressions, pointer, &index_of) {
            Some(Known::Scalar(literal)) => Some(literal),
            _ => None,
        };
        (value, self.values.varies(pointer), self.values.mask(pointer))
    }

    /// Evaluates an expression of the old function, and counts its cost if the expression remains after unrolling.
    pub(super) fn evaluate(&mut self, old: Handle<Expression>) {
        let rewriter = self.rewriter;
        let expressions = &rewriter.source.expressions;
        let expression = &expressions[old];
        let all = |operands: &[Option<Handle<Expression>>]| -> Option<SmallVec<[Literal; 4]>> {
            operands.iter().flatten().map(|operand| self.literal(*operand)).collect()
        };
        let (mut varies, mut mask) = (false, 0);
        let value = match *expression {
            Expression::Load { pointer } => {
                let value;
                (value, varies, mask) = self.load(pointer);
                value
            }
            Expression::ArrayLength(pointer) => {
                known::length(rewriter.module, rewriter.circumstances, expressions, pointer)
            }
            Expression::Unary { op, expr } => self.literal(expr).and_then(|operand| fold::unary(op, operand)),
            Expression::Binary { op, left, right } => {
                let left = self.literal(left);
                left.and_then(|left| fold::binary(op, left, self.literal(right)?))
            }
            Expression::Select { condition, accept, reject } => match self.literal(condition) {
                Some(Literal::Bool(known)) => self.literal(if known { accept } else { reject }),
                _ => None,
            },
            Expression::As { expr, kind, convert } => {
                self.literal(expr).and_then(|operand| fold::cast(operand, kind, convert))
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                all(&[Some(arg), arg1, arg2, arg3]).and_then(|operands| fold::math(fun, &operands))
            }
            _ => None,
        };
        if !matches!(expression, Expression::Load { .. }) {
            crate::rebuild::operands::for_each_operand(expression, |operand| {
                varies |= self.values.varies(operand);
                mask |= self.values.mask(operand);
            });
        }
        if let Expression::Access { base, index } = *expression {
            self.gains.any |= self.values.varies(index);
            self.indexed(base, index);
        }
        self.values.set(old, value, varies, mask);
        if value.is_none() && self.rewriter.space(old).is_none() {
            self.cost += 1;
            let is_held =
                matches!(*expression, Expression::Load { pointer } if self.is_forwarded(rewriter.target(pointer)));
            self.text += if is_held { 0 } else { text::of_expression(rewriter, old) };
        }
    }

    /// Records, for an index into `base`, the loops on whose iteration the index depends, and whether its value is
    /// known.
    fn indexed(&mut self, base: Handle<Expression>, index: Handle<Expression>) {
        let (mask, known) = (self.values.mask(index), self.literal(index).is_some());
        match self.rewriter.target(base) {
            Target::Local(local, _) => {
                let (masks, all_known) = self.gains.arrays.entry(local.index()).or_insert((0, true));
                *masks |= mask;
                *all_known &= known;
            }
            // The array is already split into variables, so all indices into it are constant.
            Target::Part(..) => {}
            Target::Other if !known => {}
            Target::Other => match self.rewriter.space(base) {
                None => self.gains.tables |= mask,
                Some(AddressSpace::WorkGroup) => self.gains.shared |= mask,
                Some(_) => {}
            },
        }
    }

    /// Whether loads of a variable are replaced by its known content.
    pub(super) fn is_forwarded(&self, target: Target) -> bool {
        matches!(target, Target::Local(local, true) if self.rewriter.memory.forwards(local))
    }
}
