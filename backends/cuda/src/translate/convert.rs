//! Conversions between numbers, and bit casts.

use naga::{Bytes, Expression, Handle, Scalar, ScalarKind, TypeInner};

use super::error::{Result, TranslateError};
use super::expr::{Text, bare};
use super::writer::FunctionWriter;

impl FunctionWriter<'_, '_> {
    /// Converts a value to a scalar kind. `convert` is the width in bytes; without it the conversion is a bit cast.
    pub(super) fn convert(
        &mut self,
        value: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<Bytes>,
    ) -> Result<Text> {
        let inner = self.type_of(value);
        let Some(from) = inner.scalar() else {
            return Err(TranslateError::invalid("a conversion of a type without scalars"));
        };
        let text = self.value(value)?;
        let to = Scalar { kind, width: convert.unwrap_or(from.width) };
        if from == to {
            return Ok(Text::tight(text));
        }
        let name = match *inner {
            TypeInner::Scalar(_) => self.m.inner_name(&TypeInner::Scalar(to)),
            TypeInner::Vector { size, .. } => self.m.inner_name(&TypeInner::Vector { size, scalar: to }),
            TypeInner::Matrix { columns, rows, .. } => {
                self.m.inner_name(&TypeInner::Matrix { columns, rows, scalar: to })
            }
            _ => return Err(TranslateError::unsupported("a conversion of this type")),
        };
        let text = bare(&text);
        let is_scalar = matches!(inner, TypeInner::Scalar(_));
        let is_float = |scalar: Scalar| scalar.kind == ScalarKind::Float;
        let is_half = |scalar: Scalar| is_float(scalar) && scalar.width == 2;
        if convert.is_none() {
            // C++ keeps the bits in conversions between integers of the same width.
            let is_plain = is_scalar && !is_float(from) && !is_float(to);
            return Ok(Text::tight(if is_plain {
                format!("{name}({text})")
            } else {
                format!("aw_bitcast<{name}>({text})")
            }));
        }
        if is_scalar && kind == ScalarKind::Bool && !is_half(from) {
            return Ok(Text::loose(format!("{} != 0", self.value(value)?)));
        }
        // C++ converts these types as WGSL does, except floats to integers.
        let is_plain = is_scalar && !is_half(from) && !is_half(to) && (!is_float(from) || is_float(to));
        if is_plain {
            return Ok(Text::tight(format!("{name}({text})")));
        }
        let is_guarded = self.m.checked || !is_float(from) || is_float(to);
        let function = if is_guarded { "aw_cast" } else { "aw_cast_unchecked" };
        Ok(Text::tight(format!("{function}<{name}>({text})")))
    }
}
