//! Evaluation of arguments that consist of constants.

use std::ops::Range;

use naga::{Arena, Expression, Handle, Literal, Module, TypeInner};

use super::finite::Width;
use super::names::Names;

/// The expressions of a function or of the module, and the names of the text.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) module: &'a Module,
    pub(super) arena: &'a Arena<Expression>,
    pub(super) names: &'a Names<'a>,
}

/// A call of a built-in function.
#[derive(Debug)]
pub(super) struct Call {
    /// The ranges of the call's arguments in the text.
    texts: Vec<Range<usize>>,
    /// Whether the call may compute with 64-bit abstract numbers, because no argument has a concrete type.
    may_be_abstract: bool,
}

impl Values<'_> {
    /// Returns the call at the span of an expression or statement; the call has no arguments if the text at that span
    /// has none.
    pub(super) fn call(self, at: naga::Span) -> Call {
        let texts = at.to_range().map_or_else(Vec::new, |range| self.names.arguments(range.start));
        let has_width = |text| self.names.unknown_in(text).is_some() || self.names.has_width(text);
        let may_be_abstract = !texts.iter().any(has_width);
        Call { texts, may_be_abstract }
    }

    /// Returns the components of an argument, if all of them are constants.
    pub(super) fn known(self, call: &Call, number: usize, argument: Handle<Expression>) -> Option<Vec<Literal>> {
        let text = call.texts.get(number)?;
        if self.names.unknown_in(text).is_some() {
            return None;
        }
        self.literals(self.arena, argument)
    }

    fn literals(self, arena: &Arena<Expression>, expression: Handle<Expression>) -> Option<Vec<Literal>> {
        match &arena[expression] {
            Expression::Literal(literal) => Some(vec![*literal]),
            Expression::Splat { value, .. } => self.literals(arena, *value),
            Expression::ZeroValue(ty) => {
                let (count, scalar) = match self.module.types[*ty].inner {
                    TypeInner::Scalar(scalar) => (1, scalar),
                    TypeInner::Vector { size, scalar } => (size as usize, scalar),
                    TypeInner::Matrix { columns, rows, scalar } => (columns as usize * rows as usize, scalar),
                    _ => return None,
                };
                Some(vec![Literal::zero(scalar)?; count])
            }
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|component| self.literals(arena, *component));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                match self.module.types[*ty].inner {
                    TypeInner::Scalar(_) | TypeInner::Vector { .. } => Some(parts.concat()),
                    // A column of a matrix may be given as one number for all rows.
                    TypeInner::Matrix { rows, .. } => {
                        let column = |part: Vec<Literal>| match part.as_slice() {
                            [all] => vec![*all; rows as usize],
                            _ => part,
                        };
                        Some(parts.into_iter().flat_map(column).collect())
                    }
                    _ => None,
                }
            }
            Expression::Constant(constant) => {
                self.literals(&self.module.global_expressions, self.module.constants[*constant].init)
            }
            _ => None,
        }
    }
}

impl Call {
    /// Whether an argument uses a name whose value is known only at run time.
    pub(super) fn is_computed(&self, names: &Names<'_>, number: usize) -> bool {
        self.texts.get(number).is_some_and(|text| names.unknown_in(text).is_some())
    }

    /// Returns the type that limits a call with these arguments.
    pub(super) fn width(&self, arguments: &[Vec<Literal>]) -> Width {
        if self.may_be_abstract {
            return Width::Abstract;
        }
        let is_half = arguments.iter().flatten().any(|literal| matches!(literal, Literal::F16(_)));
        if is_half { Width::F16 } else { Width::F32 }
    }
}

/// Converts a literal to a number.
pub(super) fn number(literal: Literal) -> Option<f64> {
    Some(match literal {
        Literal::F64(value) => value,
        Literal::F32(value) => f64::from(value),
        Literal::F16(value) => f64::from(value),
        Literal::U32(value) => f64::from(value),
        Literal::I32(value) => f64::from(value),
        _ => return None,
    })
}
