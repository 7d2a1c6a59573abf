//! Operands of types that an operator does not accept.

use naga::{BinaryOperator, Expression, Handle, ScalarKind, Span, TypeInner, UnaryOperator};

use super::super::{Finding, text, types};
use super::body::Body;

/// An operand: its text, span and type.
struct Operand {
    written: String,
    span: Span,
    ty: TypeInner,
}

impl Operand {
    fn kind(&self) -> Option<ScalarKind> {
        types::shape(&self.ty).map(|(_, scalar)| scalar.kind)
    }

    fn is_float(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Float | ScalarKind::AbstractFloat))
    }

    fn is_integer(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Sint | ScalarKind::Uint | ScalarKind::AbstractInt))
    }

    fn is_constant(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::AbstractInt | ScalarKind::AbstractFloat))
    }

    /// This operand converted to the scalar type of `other`, as text; the number of its components stays the same.
    fn like(&self, other: &Self) -> Option<String> {
        let ((size, _), (_, scalar)) = (types::shape(&self.ty)?, types::shape(&other.ty)?);
        Some(types::converted(&self.written, &types::of_shape(size, scalar)))
    }
}

/// Explains a binary operation that does not accept the types of its operands.
pub(super) fn binary(body: &Body<'_>, handle: Handle<Expression>) -> Option<Finding> {
    let Expression::Binary { op, left, right } = body.expression(handle)? else { return None };
    let place = body.span(handle);
    let whole = body.text.at(place);
    let parts = text::split(whole);
    let operand = |handle: Handle<Expression>, part: Option<&str>| {
        let start = place.to_range().map_or(0, |range| range.start);
        let span = part.map(|part| {
            let at = start + (part.as_ptr() as usize - whole.as_ptr() as usize);
            text::span(at..at + part.len())
        });
        let span = span.unwrap_or_else(|| body.span(handle));
        let written = if part.is_some() { body.text.quote(span) } else { body.quote(handle, place) };
        Some(Operand { written, span, ty: body.value_type(handle)? })
    };
    let left = operand(*left, parts.map(|(left, _, _)| left))?;
    let right = operand(*right, parts.map(|(_, _, right)| right))?;
    let name = |operand: &Operand| types::quoted(&types::name(body.module, &operand.ty));
    let (first, second) = (name(&left), name(&right));
    let sign = sign(*op);
    let message = if first == second {
        format!("`{sign}` does not take {first}")
    } else {
        format!("`{sign}` does not take {first} and {second}")
    };
    let finding = Finding::new(message);
    let finding = if parts.is_some() {
        finding.mark(left.span, format!("this is {first}")).mark(right.span, format!("this is {second}"))
    } else {
        finding.mark(place, String::new())
    };
    Some(remedies(*op, sign, &left, &right).into_iter().fold(finding, Finding::help))
}

fn remedies(op: BinaryOperator, sign: &str, left: &Operand, right: &Operand) -> Vec<String> {
    let (one, other) = (&left.written, &right.written);
    match op {
        BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
            return vec![format!(
                "both sides must be conditions: compare numbers, as in `{one} != 0`, or use `{}` for the bits",
                &sign[..1]
            )];
        }
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if left.is_integer() => {
            return vec![format!(
                "the shift distance is a u32: write `{one} {sign} {}`",
                types::converted(other, "u32")
            )];
        }
        BinaryOperator::And
        | BinaryOperator::ExclusiveOr
        | BinaryOperator::InclusiveOr
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight
            if left.is_float() || right.is_float() =>
        {
            let float = if left.is_float() { one } else { other };
            return vec![format!(
                "bitwise operators accept integers: `u32({float})` truncates to a whole number, `bitcast<u32>({float})` gives the bits"
            )];
        }
        BinaryOperator::Less | BinaryOperator::LessEqual | BinaryOperator::Greater | BinaryOperator::GreaterEqual
            if left.kind() == Some(ScalarKind::Bool) =>
        {
            if let Some((first, before, middle)) = text::split(one).filter(|_| right.is_integer() || right.is_float()) {
                return vec![format!(
                    "a comparison returns a `bool`: write `{first} {before} {middle} && {middle} {sign} {other}`"
                )];
            }
        }
        _ => {}
    }
    let is_bool = |side: &Operand| side.kind() == Some(ScalarKind::Bool);
    if is_bool(left) || is_bool(right) {
        let (condition, number) = if is_bool(left) { (one, right) } else { (other, left) };
        let ty = if number.is_float() { "f32" } else { "u32" };
        return vec![format!("a condition is not a number: `{ty}({condition})` is 1 if it is true, and 0 otherwise")];
    }
    let (Some((left_size, left_scalar)), Some((right_size, right_scalar))) =
        (types::shape(&left.ty), types::shape(&right.ty))
    else {
        return Vec::new();
    };
    if left_scalar == right_scalar {
        return match (left_size, right_size) {
            (Some(a), Some(b)) if a != b => {
                vec![format!(
                    "both operands need the same number of components: select some, as in `{}`",
                    fewer(left, right, a > b)
                )]
            }
            (Some(size), None) => {
                vec![format!("write `{one} {sign} {}({other})`", types::of_shape(Some(size), left_scalar))]
            }
            (None, Some(size)) => {
                vec![format!("write `{}({one}) {sign} {other}`", types::of_shape(Some(size), right_scalar))]
            }
            _ => Vec::new(),
        };
    }
    // A constant is converted to the type of the other operand. Otherwise the integer is converted to a float.
    let (mut both, rule) = (Vec::new(), "WGSL does not convert values implicitly");
    let left_like = left.like(right).filter(|_| !right.is_constant()).map(|new| format!("`{new} {sign} {other}`"));
    let right_like = right.like(left).filter(|_| !left.is_constant()).map(|new| format!("`{one} {sign} {new}`"));
    if right.is_float() && left.is_integer() {
        if right.is_constant() {
            both.push(format!(
                "`{} {sign} {other}`",
                types::converted(one, &types::of_shape(left_size, naga::Scalar::F32))
            ));
            both.extend(right_like.filter(|_| types::literal(other, types::scalar(left_scalar)).is_some()));
        } else {
            both.extend(left_like);
        }
    } else if left.is_float() && right.is_integer() {
        if left.is_constant() {
            both.push(format!(
                "`{one} {sign} {}`",
                types::converted(other, &types::of_shape(right_size, naga::Scalar::F32))
            ));
            both.extend(left_like.filter(|_| types::literal(one, types::scalar(right_scalar)).is_some()));
        } else {
            both.extend(right_like);
        }
    } else {
        both.extend(right_like);
        both.extend(left_like);
    }
    if both.is_empty() { Vec::new() } else { vec![format!("{rule}: write {}", both.join(" or "))] }
}

/// The first components of the longer of two vectors, as many as the shorter vector has.
fn fewer(left: &Operand, right: &Operand, left_is_longer: bool) -> String {
    let (long, short) = if left_is_longer { (left, right) } else { (right, left) };
    let count = types::shape(&short.ty).and_then(|(size, _)| size).map_or(1, |size| size as usize);
    format!("{}.{}", long.written, &"xyzw"[..count])
}

/// Explains a unary operation that does not accept the type of its operand.
pub(super) fn unary(body: &Body<'_>, handle: Handle<Expression>, op: UnaryOperator) -> Option<Finding> {
    let Expression::Unary { expr, .. } = body.expression(handle)? else { return None };
    let place = body.span(handle);
    let (operand, ty) = (body.quote(*expr, place), types::quoted(&types::name(body.module, &body.value_type(*expr)?)));
    let unsigned = types::shape(&body.value_type(*expr)?).is_some_and(|(_, scalar)| scalar.kind == ScalarKind::Uint);
    let (sign, remedy) = match op {
        UnaryOperator::LogicalNot => {
            ("!", format!("`!` negates conditions: write `{operand} == 0`, or `~{operand}` to invert the bits"))
        }
        UnaryOperator::BitwiseNot => ("~", format!("`~` accepts integers: write `!{operand}` for a condition")),
        UnaryOperator::Negate if unsigned => {
            ("-", format!("unsigned numbers cannot be negated: write `-i32({operand})`"))
        }
        UnaryOperator::Negate => ("-", "`-` accepts signed integers and floats".to_owned()),
    };
    Some(Finding::new(format!("`{sign}` does not take {ty}")).mark(place, format!("`{operand}` is {ty}")).help(remedy))
}

/// Explains a literal whose type the context does not determine.
pub(super) fn literal(body: &Body<'_>, handle: Handle<Expression>) -> Option<Finding> {
    // If the literal is an operand of a binary operation, the other operand determines the expected type.
    let mut part = handle;
    while let Some((user, expression)) = body.user(part) {
        if matches!(expression, Expression::Binary { .. }) {
            return binary(body, user);
        }
        part = user;
    }
    let place = body.span(handle);
    let written = body.text.quote(place);
    let before = place.to_range().map(|range| body.text.before(range.start)).unwrap_or_default();
    if body.function.result.is_none() && before.last().is_some_and(|token| token.text == "return") {
        let function = body.function.name.as_deref().unwrap_or_default();
        return Some(
            Finding::new(format!("'{function}' declares no return type, but returns a value here"))
                .mark(place, "")
                .help(format!("declare the return type: `fn {function}(..) -> f32`")),
        );
    }
    let finding = Finding::new(format!("`{written}` has no type")).mark(place, "the context does not determine it");
    Some(finding.help(format!("write its type, as in `f32({written})`")))
}

fn sign(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}
