//! One function: the text of its expressions, and their types.

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{Expression, Function, Handle, Module, Span, TypeInner};

use super::super::{Text, types};

/// A function in which naga's validator found a mistake, and the types of its expressions.
pub(super) struct Body<'a> {
    pub(super) text: Text<'a>,
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
    /// The types of the expressions, up to the first one whose type cannot be resolved.
    types: Vec<TypeInner>,
}

impl<'a> Body<'a> {
    pub(super) fn new(text: Text<'a>, module: &'a Module, function: &'a Function) -> Self {
        let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
        let (mut typifier, mut types) = (Typifier::new(), Vec::new());
        for (handle, _) in function.expressions.iter() {
            if typifier.grow(handle, &function.expressions, &context).is_err() {
                break;
            }
            types.push(typifier.get(handle, &module.types).clone());
        }
        Self { text, module, function, types }
    }

    pub(super) fn expression(&self, handle: Handle<Expression>) -> Option<&'a Expression> {
        self.function.expressions.try_get(handle).ok()
    }

    /// The span of an expression.
    pub(super) fn span(&self, handle: Handle<Expression>) -> Span {
        self.expression(handle).map_or(Span::UNDEFINED, |_| self.function.expressions.get_span(handle))
    }

    pub(super) fn ty(&self, handle: Handle<Expression>) -> Option<&TypeInner> {
        self.types.get(handle.index())
    }

    /// The type of an expression. For a pointer, the type that it points to, because a variable is used as its value.
    pub(super) fn value_type(&self, handle: Handle<Expression>) -> Option<TypeInner> {
        let inner = self.ty(handle)?;
        match inner {
            TypeInner::Pointer { base, .. } => Some(self.module.types[*base].inner.clone()),
            TypeInner::ValuePointer { size: None, scalar, .. } => Some(TypeInner::Scalar(*scalar)),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                Some(TypeInner::Vector { size: *size, scalar: *scalar })
            }
            other => Some(other.clone()),
        }
    }

    /// The name of an expression's type.
    pub(super) fn type_name(&self, handle: Handle<Expression>) -> Option<String> {
        Some(types::name(self.module, self.ty(handle)?))
    }

    /// The text of an expression within `place`. naga's span of a name is the span of the value that the name stands
    /// for, so names are looked up in the text of `place`.
    pub(super) fn quote(&self, handle: Handle<Expression>, place: Span) -> String {
        let span = self.span(handle);
        let within = |place: std::ops::Range<usize>, own: std::ops::Range<usize>| {
            place.start <= own.start && own.end <= place.end
        };
        if place.to_range().zip(span.to_range()).is_some_and(|(place, own)| within(place, own)) {
            return self.text.quote(span);
        }
        if let Some(name) = self.function.named_expressions.get(&handle) {
            return name.clone();
        }
        let name = match self.expression(handle) {
            Some(Expression::FunctionArgument(index)) => {
                self.function.arguments.get(*index as usize).and_then(|argument| argument.name.clone())
            }
            Some(Expression::LocalVariable(variable)) => self.function.local_variables[*variable].name.clone(),
            Some(Expression::GlobalVariable(variable)) => self.module.global_variables[*variable].name.clone(),
            Some(Expression::Constant(constant)) => self.module.constants[*constant].name.clone(),
            Some(Expression::Load { pointer }) => Some(self.quote(*pointer, place)),
            _ => None,
        };
        name.unwrap_or_else(|| self.text.quote(span))
    }

    /// The expression from which the accesses of a pointer start, such as a variable.
    pub(super) fn root(&self, mut pointer: Handle<Expression>) -> Option<&'a Expression> {
        loop {
            match self.expression(pointer)? {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = *base,
                Expression::Load { pointer: from } => pointer = *from,
                other => return Some(other),
            }
        }
    }

    /// A binary operation or splat that has this expression as an operand.
    pub(super) fn user(&self, part: Handle<Expression>) -> Option<(Handle<Expression>, &'a Expression)> {
        self.function.expressions.iter().find(|(_, expression)| match expression {
            Expression::Binary { left, right, .. } => *left == part || *right == part,
            Expression::Splat { value, .. } => *value == part,
            _ => false,
        })
    }
}
