//! Expressions whose operands have a wrong type or are out of range.

use naga::valid::{ComposeError, ExpressionError, LiteralError, WidthError};
use naga::{Expression, Handle, TypeInner};

use super::super::{Finding, text, types};
use super::body::Body;
use super::operators;

/// Explains an error in an expression.
pub(super) fn explain(body: &Body<'_>, handle: Handle<Expression>, error: &ExpressionError) -> Option<Finding> {
    let place = body.span(handle);
    let named = |handle| Some(types::quoted(&types::name(body.module, &body.value_type(handle)?)));
    let quote = |handle| body.quote(handle, place);
    Some(match error {
        ExpressionError::InvalidBinaryOperandTypes { .. } => operators::binary(body, handle)?,
        ExpressionError::InvalidUnaryOperandType(op, _) => operators::unary(body, handle, *op)?,
        ExpressionError::Literal(LiteralError::Width(WidthError::Abstract)) => operators::literal(body, handle)?,
        ExpressionError::InvalidIndexType(index) => {
            let written = quote(*index);
            let own = body.span(*index);
            let mark = if body.text.at(own) == written { own } else { place };
            Finding::new(format!("an index must be an integer, got `{written}`, which is {}", named(*index)?))
                .mark(mark, "")
                .help(format!("write `{}`", types::converted(&written, "u32")))
        }
        ExpressionError::NegativeIndex(base) => {
            Finding::new(format!("the index is negative: indices of `{}` begin at 0", quote(*base))).mark(place, "")
        }
        ExpressionError::IndexOutOfBounds(base, index) => {
            let count = match body.value_type(*base)? {
                TypeInner::Array { size: naga::ArraySize::Constant(count), .. } => count.get(),
                TypeInner::Vector { size, .. } => size as u32,
                TypeInner::Matrix { columns, .. } => columns as u32,
                _ => return None,
            };
            let base = quote(*base);
            Finding::new(format!(
                "the index {index} is out of range: `{base}` has {count} elements, 0 to {}",
                count - 1
            ))
            .mark(place, "")
        }
        ExpressionError::DivideByZero => {
            let divisor = match body.expression(handle)? {
                Expression::Binary { right, .. } => {
                    let parts = text::split(body.text.at(place));
                    parts.map_or_else(|| quote(*right), |(_, _, right)| right.to_owned())
                }
                _ => return None,
            };
            Finding::new(format!("division by zero: `{divisor}` is 0")).mark(place, "")
        }
        ExpressionError::ShiftAmountTooLarge { lhs_type, rhs_expr } => {
            let (_, scalar) = types::shape(lhs_type)?;
            let bits = u32::from(scalar.width) * 8;
            Finding::new(format!(
                "a {} has {bits} bits: it can be shifted by at most {}",
                types::scalar(scalar),
                bits - 1
            ))
            .mark(place, format!("by `{}`", quote(*rhs_expr)))
        }
        // In `arrayLength(data)`, the array is used as a value.
        ExpressionError::InvalidPointerType(pointer) => {
            let ty = body.value_type(*pointer)?;
            let name = quote(*pointer);
            match ty {
                TypeInner::Array { size: naga::ArraySize::Dynamic, .. } => {
                    Finding::new(format!("`{name}` is an array without a fixed length, which cannot be a value"))
                        .mark(place, "")
                        .help(format!("pass a pointer, as in `arrayLength(&{name})`, or take one element: `{name}[i]`"))
                }
                TypeInner::Atomic(_) => atomic_value(body, *pointer, place),
                _ => return None,
            }
        }
        ExpressionError::InvalidArrayType(pointer) => Finding::new(format!(
            "`arrayLength` expects a pointer to an array without a fixed length, got `{}`",
            quote(*pointer)
        ))
        .mark(place, "")
        .help("the length of any other array is part of its type"),
        ExpressionError::Compose(ComposeError::ComponentCount { given, expected }) => {
            Finding::new(format!("expected {expected} components, got {given}")).mark(place, "")
        }
        ExpressionError::Compose(ComposeError::ComponentType { index }) => composed(body, handle, *index)?,
        ExpressionError::SelectValuesTypeMismatch { accept, reject } => {
            let (no, yes) = (types::name(body.module, reject), types::name(body.module, accept));
            Finding::new(format!(
                "`select` expects two values of one type, got {} and {}",
                types::quoted(&no),
                types::quoted(&yes)
            ))
            .mark(place, "")
            .help("convert one of them, as in `f32(x)`")
        }
        ExpressionError::SelectConditionNotABool { actual } => {
            let actual = types::name(body.module, actual);
            Finding::new(format!("the last argument of `select` must be a condition, got {}", types::quoted(&actual)))
                .mark(place, "")
                .help("the order is `select(where_false, where_true, condition)`")
        }
        ExpressionError::InvalidCastArgument => {
            let Expression::As { expr, kind, .. } = body.expression(handle)? else { return None };
            let kind = format!("{kind:?}").to_lowercase();
            Finding::new(format!("`{}` is {}, which cannot be converted to a {kind}", quote(*expr), named(*expr)?))
                .mark(place, "")
        }
        _ => return None,
    })
}

/// Explains an atomic that is used as a number.
fn atomic_value(body: &Body<'_>, pointer: Handle<Expression>, place: naga::Span) -> Finding {
    let name = body.quote(pointer, place);
    Finding::new(format!("`{name}` is atomic: only atomic functions read and write it"))
        .mark(place, "")
        .help(format!("write `atomicLoad(&{name})`"))
}

/// Explains a constructor with a component of a wrong type.
fn composed(body: &Body<'_>, handle: Handle<Expression>, index: u32) -> Option<Finding> {
    let Expression::Compose { ty, components } = body.expression(handle)? else { return None };
    let place = body.span(handle);
    let (whole, part) = (types::name_of(body.module, *ty), *components.get(index as usize)?);
    let (written, is) = (body.quote(part, place), types::name(body.module, &body.value_type(part)?));
    let finding =
        Finding::new(format!("`{whole}` cannot be constructed from `{written}`, which is {}", types::quoted(&is)));
    let wanted = match &body.module.types[*ty].inner {
        TypeInner::Vector { scalar, .. } => Some(types::scalar(*scalar).to_owned()),
        TypeInner::Array { base, .. } => Some(types::name_of(body.module, *base)),
        TypeInner::Struct { members, .. } => {
            members.get(index as usize).map(|member| types::name_of(body.module, member.ty))
        }
        _ => None,
    };
    let inside = body
        .span(part)
        .to_range()
        .zip(place.to_range())
        .is_some_and(|(part, whole)| whole.start <= part.start && part.end <= whole.end);
    let mark = if inside { body.span(part) } else { place };
    let finding = finding.mark(mark, wanted.as_ref().map_or(String::new(), |wanted| format!("`{wanted}` is needed")));
    Some(match wanted.filter(|wanted| !wanted.contains('<')) {
        Some(wanted) => finding.help(format!("write `{}`", types::converted(&written, &wanted))),
        None => finding,
    })
}
