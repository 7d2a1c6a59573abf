//! Writes the count of a loop's iterations.

use naga::{BinaryOperator, Block, Expression, Handle, Span, Statement};

use super::writer::Writer;
use crate::rebuild::emitter::Emitter;

impl Writer<'_> {
    /// Writes code that counts the iterations of a loop down from 2^64, in two variables. The second variable changes
    /// only when the first reaches zero. Returns the condition that ends the loop.
    ///
    /// A driver's compiler may assume that a loop ends, and derive wrong ranges of indices from this assumption. The
    /// added count prevents that. The count is at the end of an iteration, so that the loop's own test stays first.
    /// Then the compiler can still move that test to the end, unroll the loop, and know the range of its counter.
    ///
    /// ```text
    /// low = 0xffffffff; high = 0xffffffff;
    /// loop {
    ///     ...
    ///     continuing {
    ///         ...
    ///         low -= 1;
    ///         if low == 0 { if high != 0 { high -= 1; low = 0xffffffff; } }
    ///         break if low == 0;
    ///     }
    /// }
    /// ```
    pub(super) fn count_turns(
        &mut self,
        before: &mut Emitter,
        continuing: &mut Emitter,
        break_if: Option<Handle<Expression>>,
        span: Span,
    ) -> Handle<Expression> {
        let ty = self.u32();
        let [zero, one, most] = [0, 1, u32::MAX].map(|value| self.literal(value));
        let [low, high] = ["turns_low", "turns_high"].map(|name| self.local(name, ty, span));
        // Stores replace initial values, because an inner loop starts again in each iteration of the outer loop.
        for variable in [low, high] {
            before.push(Statement::Store { pointer: variable, value: most }, span);
        }

        let left = self.add(Expression::Load { pointer: low }, span);
        continuing.emit(left, span);
        let left = self.less(left, one, low, span, continuing);
        let used_up = self.binary(BinaryOperator::Equal, left, zero, span);
        continuing.emit(used_up, span);

        let mut carry = Emitter::default();
        let more = self.add(Expression::Load { pointer: high }, span);
        let any = self.binary(BinaryOperator::NotEqual, more, zero, span);
        carry.emit(more, span);
        carry.emit(any, span);
        let mut refill = Emitter::default();
        self.less(more, one, high, span, &mut refill);
        refill.push(Statement::Store { pointer: low, value: most }, span);
        let (accept, reject) = (refill.finish(), Block::new());
        carry.push(Statement::If { condition: any, accept, reject }, span);
        let (accept, reject) = (carry.finish(), Block::new());
        continuing.push(Statement::If { condition: used_up, accept, reject }, span);

        let left = self.add(Expression::Load { pointer: low }, span);
        let ended = self.binary(BinaryOperator::Equal, left, zero, span);
        continuing.emit(left, span);
        continuing.emit(ended, span);
        let Some(condition) = break_if else { return ended };
        let either = self.binary(BinaryOperator::LogicalOr, condition, ended, span);
        continuing.emit(either, span);
        either
    }

    /// Stores `value - 1` to the variable `to`, and returns the stored value.
    fn less(
        &mut self,
        value: Handle<Expression>,
        one: Handle<Expression>,
        to: Handle<Expression>,
        span: Span,
        out: &mut Emitter,
    ) -> Handle<Expression> {
        let less = self.binary(BinaryOperator::Subtract, value, one, span);
        out.emit(less, span);
        out.push(Statement::Store { pointer: to, value: less }, span);
        less
    }
}
