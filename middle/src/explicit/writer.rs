//! Writes the expressions of a function with checks.

use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Scalar, ScalarKind, Span, Type,
    TypeInner, UniqueArena,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::plan::{Access, Index, Last, Place, Plan, Root};
use crate::rebuild::emitter::Emitter;
use crate::rebuild::operands::map_operands;

/// Expressions of the new function, in the order in which they are emitted.
pub(super) type Made = SmallVec<[Handle<Expression>; 4]>;

/// The state of rewriting one function.
pub(super) struct Writer<'a> {
    pub(super) old: &'a Function,
    pub(super) plan: &'a Plan,
    pub(super) types: &'a mut UniqueArena<Type>,
    pub(super) new: Function,
    /// By expression of the old function: the expression of the new function that replaces it.
    pub(super) moved: Vec<Handle<Expression>>,
    /// By expression of the old function: the additional expressions that must be emitted before its replacement.
    pub(super) before: FxHashMap<Handle<Expression>, Made>,
    /// For each access of the old function that is checked: its index and the last index in range, as unsigned integers
    /// of the same width.
    pub(super) compared: FxHashMap<Handle<Expression>, [Handle<Expression>; 2]>,
    /// For each result of an atomic operation whose index may be out of range: the expressions that replace the result.
    pub(super) results: FxHashMap<Handle<Expression>, Kept>,
    /// The number of loops written so far.
    pub(super) loops: usize,
    literals: FxHashMap<u32, Handle<Expression>>,
    /// The last index of each array in [`Plan::places`].
    lasts: Vec<Handle<Expression>>,
}

/// The result of an atomic operation whose index may be out of range: a variable, which is zero unless the operation is
/// executed.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) variable: Handle<Expression>,
    pub(super) zero: Handle<Expression>,
    pub(super) result: Handle<Expression>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(old: &'a Function, plan: &'a Plan, types: &'a mut UniqueArena<Type>) -> Self {
        let new = Function {
            name: old.name.clone(),
            arguments: old.arguments.clone(),
            result: old.result.clone(),
            local_variables: old.local_variables.clone(),
            diagnostic_filter_leaf: old.diagnostic_filter_leaf,
            ..Function::default()
        };
        Self {
            old,
            plan,
            types,
            new,
            moved: Vec::with_capacity(old.expressions.len()),
            before: FxHashMap::default(),
            compared: FxHashMap::default(),
            results: FxHashMap::default(),
            loops: 0,
            literals: FxHashMap::default(),
            lasts: Vec::new(),
        }
    }

    /// Writes the function with its checks.
    pub(super) fn write(mut self) -> Function {
        let mut body = Emitter::default();
        // The last indices are computed at the start of the function, because the lengths of arrays never change.
        for place in &self.plan.places {
            let last = self.last_of(place, &mut body);
            self.lasts.push(last);
        }
        for (handle, expression) in self.old.expressions.iter() {
            let moved = self.expression(handle, expression);
            self.moved.push(moved);
        }
        for (_, variable) in self.new.local_variables.iter_mut() {
            variable.init = variable.init.map(|init| self.moved[init.index()]);
        }
        self.fill(&self.old.body, &mut body);
        self.new.body = body.finish();
        let named = self.old.named_expressions.iter();
        let named = named.map(|(handle, name)| (self.moved[handle.index()], name.clone()));
        self.new.named_expressions.extend(named);
        self.new
    }

    /// The expression of the new function that replaces an expression of the old function.
    pub(super) fn moved(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.moved[old.index()]
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.new.expressions.append(expression, span)
    }

    /// Adds a binary operation.
    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        span: Span,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right }, span)
    }

    /// A `u32` literal.
    pub(super) fn literal(&mut self, value: u32) -> Handle<Expression> {
        let expressions = &mut self.new.expressions;
        let add = || expressions.append(Expression::Literal(Literal::U32(value)), Span::UNDEFINED);
        *self.literals.entry(value).or_insert_with(add)
    }

    /// Adds a local variable without an initial value.
    pub(super) fn local(&mut self, name: &str, ty: Handle<Type>, span: Span) -> Handle<Expression> {
        let variable = LocalVariable { name: Some(name.to_owned()), ty, init: None };
        let variable = self.new.local_variables.append(variable, span);
        self.add(Expression::LocalVariable(variable), span)
    }

    /// The type `u32`.
    pub(super) fn u32(&mut self) -> Handle<Type> {
        self.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::U32) }, Span::UNDEFINED)
    }

    /// Writes the computation of the last index of a runtime-sized array, and returns the index.
    fn last_of(&mut self, place: &Place, body: &mut Emitter) -> Handle<Expression> {
        let span = Span::UNDEFINED;
        let one = self.literal(1);
        let mut pointer = self.add(
            match place.root {
                Root::Global(variable) => Expression::GlobalVariable(variable),
                Root::Argument(number) => Expression::FunctionArgument(number),
            },
            span,
        );
        for index in &place.members {
            pointer = self.add(Expression::AccessIndex { base: pointer, index: *index }, span);
            body.emit(pointer, span);
        }
        let count = self.add(Expression::ArrayLength(pointer), span);
        let last = self.binary(BinaryOperator::Subtract, count, one, span);
        // The name makes naga's writers of text compute the index at this point rather than at each use.
        self.new.named_expressions.insert(last, "last_index".to_owned());
        body.emit(count, span);
        body.emit(last, span);
        last
    }

    fn expression(&mut self, handle: Handle<Expression>, expression: &Expression) -> Handle<Expression> {
        let span = self.old.expressions.get_span(handle);
        if let Some(access) = self.plan.access(handle) {
            return self.access(handle, access, span);
        }
        if let Expression::AtomicResult { ty, .. } = *expression
            && self.plan.results.contains(&handle)
        {
            let variable = self.local("changed", ty, span);
            let zero = self.add(Expression::ZeroValue(ty), span);
            let result = self.add(expression.clone(), span);
            self.results.insert(handle, Kept { variable, zero, result });
            return self.add(Expression::Load { pointer: variable }, span);
        }
        if let (Expression::Load { pointer }, Some(scalar)) = (expression, self.plan.loads.get(&handle)) {
            return self.atomic_load(handle, *pointer, *scalar, span);
        }
        let mut expression = expression.clone();
        map_operands(&mut expression, |operand| self.moved(operand));
        self.add(expression, span)
    }

    /// Writes a load of an atomic. The result is zero if the pointer is out of range, as for all other atomics.
    fn atomic_load(
        &mut self,
        handle: Handle<Expression>,
        pointer: Handle<Expression>,
        scalar: Scalar,
        span: Span,
    ) -> Handle<Expression> {
        let accept = self.add(Expression::Load { pointer: self.moved(pointer) }, span);
        let Some((condition, compared)) = self.in_range(pointer, span) else { return accept };
        let ty = self.types.insert(Type { name: None, inner: TypeInner::Scalar(scalar) }, Span::UNDEFINED);
        let reject = self.add(Expression::ZeroValue(ty), span);
        self.before.insert(handle, std::iter::once(accept).chain(compared).collect());
        self.add(Expression::Select { condition, accept, reject }, span)
    }

    /// Writes the condition that all indices that compute a pointer of the old function are in range. Returns the
    /// condition with the expressions that must be emitted for it; `None` if all indices are proven.
    pub(super) fn in_range(&mut self, pointer: Handle<Expression>, span: Span) -> Option<(Handle<Expression>, Made)> {
        let mut made = Made::new();
        for access in self.plan.unproven_in(self.old, pointer) {
            let [index, last] = self.compared[&access];
            let others = made.last().copied();
            let this = self.binary(BinaryOperator::LessEqual, index, last, span);
            made.push(this);
            if let Some(others) = others {
                made.push(self.binary(BinaryOperator::LogicalAnd, this, others, span));
            }
        }
        made.last().copied().map(|all| (all, made))
    }

    /// Writes an access with a clamped index.
    fn access(&mut self, handle: Handle<Expression>, access: &Access, span: Span) -> Handle<Expression> {
        let last = match access.last {
            Last::Known(last) => self.literal(last),
            Last::Of(place) => self.lasts[place],
        };
        let as_uint = |expr, convert| Expression::As { expr, kind: ScalarKind::Uint, convert };
        let mut before = SmallVec::new();
        let mut emitted = |writer: &mut Self, expression| {
            let handle = writer.add(expression, span);
            before.push(handle);
            handle
        };
        let (index, width) = match access.index {
            Index::Known(index) => (self.literal(index), 4),
            Index::Value(index, scalar) => {
                let index = self.moved(index);
                match scalar {
                    Scalar { kind: ScalarKind::Uint, width: width @ (4 | 8) } => (index, width),
                    // As an unsigned integer, a negative index is a large number, so that the clamp returns the last
                    // index.
                    Scalar { width: width @ (4 | 8), .. } => (emitted(self, as_uint(index, None)), width),
                    _ => (emitted(self, as_uint(index, Some(4))), 4),
                }
            }
        };
        let last = if width == 8 { emitted(self, as_uint(last, Some(8))) } else { last };
        let (fun, arg1) = (MathFunction::Min, Some(last));
        let mut clamped = emitted(self, Expression::Math { fun, arg: index, arg1, arg2: None, arg3: None });
        if width == 8 {
            clamped = emitted(self, as_uint(clamped, Some(4)));
        }
        self.before.insert(handle, before);
        self.compared.insert(handle, [index, last]);
        self.add(Expression::Access { base: self.moved(access.base), index: clamped }, span)
    }
}
