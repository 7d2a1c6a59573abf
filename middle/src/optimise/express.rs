//! Rewrites expressions: folds, forwards, shares or copies them, or moves them out of loops.

use naga::{AddressSpace, BinaryOperator, Expression, Handle, Literal, ScalarKind, Span, TypeInner};
use smallvec::SmallVec;

use super::fold::Integer;
use super::known::{self, Known};
use super::rewrite::Rewriter;
use super::scalars::Place;
use super::simplify::Simpler;
use crate::rebuild::key::{Key, key};
use crate::rebuild::operands::{for_each_operand, map_operands, needs_emit};

/// The largest number of expressions that are moved out of one loop.
const MAX_MOVED: usize = 128;

impl Rewriter<'_> {
    /// Writes an expression of the old function at the point where that function evaluates it.
    pub(super) fn expression(&mut self, old: Handle<Expression>) {
        if self.failed || self.splits.place(old).is_some_and(|place| self.split(old, place)) {
            return;
        }
        let mut expression = self.source.expressions[old].clone();
        if let Expression::Load { pointer } = expression
            && let Some(Place::Part { first, ty, .. }) = self.splits.place(pointer)
        {
            let value = self.put_together(first, ty, self.source.expressions.get_span(old));
            self.map[old.index()] = Some(value);
            return;
        }
        map_operands(&mut expression, |operand| self.value(operand));
        let made = self.simplified(old, expression);
        self.map[old.index()] = Some(made);
        if needs_emit(&self.writer.function.expressions[made]) {
            self.name(old, made);
        }
    }

    fn split(&mut self, old: Handle<Expression>, place: Place) -> bool {
        if let Place::Leaf(leaf) = place {
            let local = Expression::LocalVariable(self.leaves[leaf]);
            let made = self.free(local, self.source.expressions.get_span(old));
            self.map[old.index()] = Some(made);
        }
        true
    }

    fn simplified(&mut self, old: Handle<Expression>, mut expression: Expression) -> Handle<Expression> {
        let span = self.source.expressions.get_span(old);
        loop {
            if let Some(pointer) = self.known_component(&expression, span) {
                expression = Expression::Load { pointer };
            }
            let simpler = match expression {
                Expression::Load { pointer } => match self.load(old, pointer, span) {
                    Some(value) => return value,
                    None => Simpler::No,
                },
                Expression::ArrayLength(pointer) => {
                    let expressions = &self.writer.function.expressions;
                    known::length(self.module, self.circumstances, expressions, pointer)
                        .map_or(Simpler::No, Simpler::Literal)
                }
                _ => self.simpler(old, &expression),
            };
            self.changed |= !matches!(simpler, Simpler::No);
            match simpler {
                Simpler::No => break,
                Simpler::Same(made) => return made,
                Simpler::Literal(literal) => return self.free(Expression::Literal(literal), span),
                Simpler::Other(other) => {
                    if !needs_emit(&other) {
                        return self.free(other, span);
                    }
                    expression = other;
                }
            }
        }
        self.shared(old, expression, span)
    }

    /// Replaces a component of a loaded uniform or immediate by a pointer to the component, because the component may
    /// be the same in every launch even if the whole vector or struct is not.
    fn known_component(&mut self, expression: &Expression, span: Span) -> Option<Handle<Expression>> {
        let nothing = self.circumstances.uniforms.is_empty() && self.circumstances.immediate.is_empty();
        let Expression::AccessIndex { base, index } = *expression else { return None };
        let Expression::Load { pointer } = self.writer.function.expressions[base] else { return None };
        if nothing || !self.is_uniform(pointer) {
            return None;
        }
        self.changed = true;
        Some(self.evaluate(Expression::AccessIndex { base: pointer, index }, span))
    }

    /// The value that a load returns, if that value is available without the load.
    fn load(&mut self, old: Handle<Expression>, pointer: Handle<Expression>, span: Span) -> Option<Handle<Expression>> {
        let expressions = &self.writer.function.expressions;
        let value = match expressions[pointer] {
            Expression::LocalVariable(local) if self.memory.forwards(local) => {
                let Some(value) = self.memory.get(local, &self.scopes) else {
                    let value = self.evaluate(Expression::Load { pointer }, span);
                    self.memory.set(local, Some(value));
                    return Some(value);
                };
                value
            }
            Expression::AccessIndex { base, index } => {
                let Expression::LocalVariable(local) = expressions[base] else { return self.known(pointer, span) };
                if !self.memory.forwards(local) {
                    return None;
                }
                let whole = self.memory.get(local, &self.scopes)?;
                self.component_as(old, whole, index, span)
            }
            _ => return self.known(pointer, span),
        };
        self.changed = true;
        Some(value)
    }

    /// The value that a load returns, if that value is the same in every launch.
    fn known(&mut self, pointer: Handle<Expression>, span: Span) -> Option<Handle<Expression>> {
        let expressions = &self.writer.function.expressions;
        let index_of = |index: Handle<Expression>| match expressions[index] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        };
        let known = known::load(self.module, self.circumstances, expressions, pointer, &index_of)?;
        self.changed = true;
        Some(match known {
            Known::Scalar(literal) => self.free(Expression::Literal(literal), span),
            Known::Vector(ty, literals) => {
                let free = |literal| self.free(Expression::Literal(literal), span);
                let components = literals.into_iter().map(free).collect();
                self.evaluate(Expression::Compose { ty, components }, span)
            }
        })
    }

    /// A component of a value of the new function; `old` is an expression of the old function with the type of the
    /// component.
    fn component_as(
        &mut self,
        old: Handle<Expression>,
        value: Handle<Expression>,
        index: u32,
        span: Span,
    ) -> Handle<Expression> {
        let expression = Expression::AccessIndex { base: value, index };
        match self.simpler(old, &expression) {
            Simpler::No => self.evaluate(expression, span),
            Simpler::Same(made) => made,
            Simpler::Literal(literal) => self.free(Expression::Literal(literal), span),
            Simpler::Other(other) if needs_emit(&other) => self.evaluate(other, span),
            Simpler::Other(other) => self.free(other, span),
        }
    }

    /// A component of a new value.
    pub(super) fn component(&mut self, value: Handle<Expression>, index: u32, span: Span) -> Handle<Expression> {
        if let Expression::Compose { components, .. } = &self.writer.function.expressions[value]
            && let Some(component) = components.get(index as usize)
        {
            return *component;
        }
        self.evaluate(Expression::AccessIndex { base: value, index }, span)
    }

    /// An expression of the new function with the same value as `expression`: an earlier one that can be used at the
    /// current point, or an added one.
    fn shared(&mut self, old: Handle<Expression>, expression: Expression, span: Span) -> Handle<Expression> {
        let pointer = matches!(
            self.types.get(old, &self.module.types),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        );
        let (key, moves) = match expression {
            Expression::Load { pointer } => (self.key_of_load(old, pointer), self.is_uniform(pointer)),
            // Pointers are not shared, because the analysis may prove an access in range by the conditions around it,
            // but not an equal access elsewhere.
            Expression::Access { .. } if pointer => (None, false),
            Expression::Access { .. } => (key(&expression), false),
            _ => {
                let key = key(&expression);
                let moves = key.is_some() && !self.may_trap(old, &expression);
                (key, moves)
            }
        };
        if let Some(key) = &key
            && let Some(made) = self.shared.get(key)
            && self.scopes.visible(*made).is_some()
        {
            self.changed = true;
            return *made;
        }
        let made = if moves { self.evaluate_early(expression, span) } else { self.evaluate(expression, span) };
        if let Some(key) = key {
            self.shared.insert(key, made);
        }
        made
    }

    /// Whether an operation may trap on some processors for some operands. Such an operation must not be moved before a
    /// test of the operands.
    fn may_trap(&self, old: Handle<Expression>, expression: &Expression) -> bool {
        let is_float = |handle| {
            let kind = self.types.get(handle, &self.module.types).scalar_kind();
            kind == Some(ScalarKind::Float)
        };
        match *expression {
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, right, .. } if !is_float(old) => {
                let divisor = match self.writer.function.expressions[right] {
                    Expression::Splat { value, .. } => value,
                    _ => right,
                };
                let divisor = self.literal(divisor).and_then(Integer::of);
                divisor.is_none_or(|divisor| divisor.value == 0 || divisor.value == -1)
            }
            Expression::As { kind: ScalarKind::Sint | ScalarKind::Uint, convert: Some(_), .. } => {
                matches!(self.source.expressions[old], Expression::As { expr, .. } if is_float(expr))
            }
            _ => false,
        }
    }

    /// Adds an expression to the new function, evaluated at the current point.
    pub(super) fn evaluate(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let made = self.writer.emit(expression, span);
        self.scopes.place_here(made);
        self.failed |= made.index() > super::MAX_EXPRESSIONS;
        made
    }

    /// Adds an expression to the new function, evaluated before as many of the surrounding loops as possible.
    fn evaluate_early(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let mut depth = Some(0);
        if !self.loops.is_empty() {
            for_each_operand(&expression, |operand| {
                depth = depth.zip(self.scopes.visible(operand)).map(|(depth, other)| depth.max(other));
            });
        }
        let out = depth
            .and_then(|depth| self.loops.iter().position(|open| depth <= open.depth && open.before.len() < MAX_MOVED));
        let Some(number) = out else { return self.evaluate(expression, span) };
        self.changed = true;
        let made = self.writer.result(expression, span);
        let open = &mut self.loops[number];
        open.before.push(made);
        self.scopes.place(made, open.depth);
        made
    }

    /// The key of a load, by which equal loads are found: the location and the version of the memory.
    fn key_of_load(&self, old: Handle<Expression>, pointer: Handle<Expression>) -> Option<Key> {
        const LOADED: u32 = 1_000;
        if let Expression::Load { pointer } = self.source.expressions[old]
            && self.types.get(pointer, &self.module.types).is_atomic_pointer(&self.module.types)
        {
            return None;
        }
        let expressions = &self.writer.function.expressions;
        let number = |index: usize| u32::try_from(index).ok();
        let mut made: Key = SmallVec::from_slice(&[LOADED]);
        let mut pointer = pointer;
        loop {
            match expressions[pointer] {
                Expression::Access { base, index } => {
                    made.extend([0, number(index.index())?]);
                    pointer = base;
                }
                Expression::AccessIndex { base, index } => {
                    made.extend([1, index]);
                    pointer = base;
                }
                ref root => {
                    made.extend([2, number(pointer.index())?, self.memory.version(root)?]);
                    return Some(made);
                }
            }
        }
    }

    /// Whether a load reads a uniform or an immediate by constant indices, so that the load can be moved to any point
    /// of the function.
    fn is_uniform(&self, mut pointer: Handle<Expression>) -> bool {
        let expressions = &self.writer.function.expressions;
        loop {
            match expressions[pointer] {
                Expression::AccessIndex { base, .. } => pointer = base,
                Expression::GlobalVariable(variable) => {
                    let space = self.module.global_variables[variable].space;
                    return matches!(space, AddressSpace::Uniform | AddressSpace::Immediate);
                }
                _ => return false,
            }
        }
    }

    /// The value of a constant index. If the index is out of range, the pass fails, because validation would reject the
    /// module.
    pub(super) fn index(&mut self, index: Literal, length: Option<u32>) -> Option<u32> {
        let length = length?;
        let known = match index {
            Literal::U32(index) => Some(index),
            Literal::I32(index) => u32::try_from(index).ok(),
            _ => return None,
        };
        let known = known.filter(|index| *index < length);
        self.failed |= known.is_none();
        known
    }
}
