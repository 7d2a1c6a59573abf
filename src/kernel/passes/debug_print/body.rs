//! The body of a debug function: reserves words, and writes a record or counts it as dropped.

use std::mem;

use naga::{
    Arena, AtomicFunction, BinaryOperator, Block, Expression, Function, FunctionArgument, Handle, Literal, Range,
    Scalar, ScalarKind, Span, Statement,
};

use super::Globals;
use crate::debug::record::{Parameter, RECORD_HEADER, Signature};

/// The number at which the count of dropped records stops, so that it does not wrap.
const MAX_DROPPED: u32 = 1 << 31;

/// Replaces the empty body of `function`, and adds a parameter for the number of the site.
///
/// ```text
/// if atomicLoad(&reserved) < arrayLength(&words) {      so that `reserved` never wraps
///     let first = atomicAdd(&reserved, SIZE);
///     if first + SIZE <= arrayLength(&words) { words[first..] = ..; } else { drop }
/// } else { drop }
/// ```
pub(super) fn write(function: &mut Function, signature: &Signature, globals: &Globals) {
    let site = function.arguments.len() as u32;
    function.arguments.push(FunctionArgument { name: Some("site".to_owned()), ty: globals.u32, binding: None });
    let mut writer = Writer { globals, expressions: Arena::new(), block: Block::new() };
    writer.record(signature, site);
    writer.push(Statement::Return { value: None });
    function.expressions = writer.expressions;
    function.named_expressions.clear();
    function.body = writer.block;
}

struct Writer<'g> {
    globals: &'g Globals,
    expressions: Arena<Expression>,
    /// The block that is being written.
    block: Block,
}

/// Pointers to the members of the debug buffer.
struct Members {
    reserved: Handle<Expression>,
    dropped: Handle<Expression>,
    words: Handle<Expression>,
}

impl Writer<'_> {
    fn record(&mut self, signature: &Signature, site: u32) {
        use BinaryOperator::{Add, Less, LessEqual};

        let base = self.add(Expression::GlobalVariable(self.globals.buffer));
        let [reserved, dropped, words] = [0, 1, 2].map(|index| self.add(Expression::AccessIndex { base, index }));
        let members = Members { reserved, dropped, words };
        let capacity = self.add(Expression::ArrayLength(members.words));
        let size = self.literal(RECORD_HEADER + signature.words());
        let before = self.add(Expression::Load { pointer: members.reserved });
        let room = self.binary(Less, before, capacity);
        self.branch(
            room,
            |this| {
                let first = this.atomic_add(members.reserved, size);
                let end = this.binary(Add, first, size);
                let fits = this.binary(LessEqual, end, capacity);
                this.branch(
                    fits,
                    |this| this.write_record(&members, first, signature, site),
                    |this| this.count_dropped(&members),
                );
            },
            |this| this.count_dropped(&members),
        );
    }

    fn write_record(&mut self, members: &Members, first: Handle<Expression>, signature: &Signature, site: u32) {
        let site = self.add(Expression::FunctionArgument(site));
        let invocation = self.add(Expression::GlobalVariable(self.globals.invocation));
        let invocation = self.add(Expression::Load { pointer: invocation });
        let mut values = vec![site];
        values.extend([0, 1, 2].map(|index| self.add(Expression::AccessIndex { base: invocation, index })));
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let argument = self.add(Expression::FunctionArgument(index as u32));
            self.argument(argument, parameter, &mut values);
        }
        for (index, value) in values.into_iter().enumerate() {
            let index = self.literal(index as u32);
            let index = self.binary(BinaryOperator::Add, first, index);
            let pointer = self.add(Expression::Access { base: members.words, index });
            self.push(Statement::Store { pointer, value });
        }
    }

    /// Appends the words of one argument to `words`.
    fn argument(&mut self, argument: Handle<Expression>, parameter: &Parameter, words: &mut Vec<Handle<Expression>>) {
        match parameter.components {
            None => self.scalar(argument, parameter.scalar, words),
            Some(components) => {
                for index in 0..components {
                    let component = self.add(Expression::AccessIndex { base: argument, index });
                    self.scalar(component, parameter.scalar, words);
                }
            }
        }
    }

    /// Appends the words of one scalar to `words`: its bits. A scalar smaller than a word is first widened to 4 bytes
    /// of the same kind, which is exact.
    fn scalar(&mut self, value: Handle<Expression>, scalar: Scalar, words: &mut Vec<Handle<Expression>>) {
        let mut cast = |expr, kind, convert| self.add(Expression::As { expr, kind, convert });
        let wide = match scalar {
            Scalar { kind: ScalarKind::Bool, .. } => cast(value, ScalarKind::Uint, Some(4)),
            Scalar { kind, width: ..4 } => cast(value, kind, Some(4)),
            _ => value,
        };
        let bits = match scalar.kind {
            ScalarKind::Sint | ScalarKind::Float => cast(wide, ScalarKind::Uint, None),
            _ => wide,
        };
        if scalar.width <= 4 {
            words.push(bits);
            return;
        }
        words.push(cast(bits, ScalarKind::Uint, Some(4)));
        let half = self.literal(32);
        let high = self.binary(BinaryOperator::ShiftRight, bits, half);
        words.push(self.add(Expression::As { expr: high, kind: ScalarKind::Uint, convert: Some(4) }));
    }

    fn count_dropped(&mut self, members: &Members) {
        let before = self.add(Expression::Load { pointer: members.dropped });
        let most = self.literal(MAX_DROPPED);
        let counts = self.binary(BinaryOperator::Less, before, most);
        self.branch(
            counts,
            |this| {
                let one = this.literal(1);
                this.atomic_add(members.dropped, one);
            },
            |_| (),
        );
    }

    fn atomic_add(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Handle<Expression> {
        let result = Expression::AtomicResult { ty: self.globals.u32, comparison: false };
        let result = self.expressions.append(result, Span::UNDEFINED);
        self.push(Statement::Atomic { pointer, fun: AtomicFunction::Add, value, result: Some(result) });
        result
    }

    fn branch(
        &mut self,
        condition: Handle<Expression>,
        accept: impl FnOnce(&mut Self),
        reject: impl FnOnce(&mut Self),
    ) {
        let outer = mem::take(&mut self.block);
        accept(self);
        let accept = mem::take(&mut self.block);
        reject(self);
        let reject = mem::replace(&mut self.block, outer);
        self.push(Statement::If { condition, accept, reject });
    }

    fn literal(&mut self, value: u32) -> Handle<Expression> {
        self.add(Expression::Literal(Literal::U32(value)))
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }

    /// Adds an expression and evaluates it at this point.
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        let emitted = !expression.needs_pre_emit();
        let handle = self.expressions.append(expression, Span::UNDEFINED);
        if emitted {
            self.push(Statement::Emit(Range::new_from_bounds(handle, handle)));
        }
        handle
    }

    fn push(&mut self, statement: Statement) {
        self.block.push(statement, Span::UNDEFINED);
    }
}
