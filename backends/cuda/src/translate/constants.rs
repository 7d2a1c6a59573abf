//! Literals and constant expressions, exact to the last bit.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use naga::{Constant, Expression, Handle, Literal, Type, TypeInner};

use super::access::component_name;
use super::error::{Result, TranslateError};
use super::expr::bare;
use super::writer::ModuleWriter;

const HALF_ZERO: &str = "aw_bitcast<f16>(u16(0))";

/// An operand of a composite value, with its type.
pub(super) struct Part<'a> {
    pub(super) text: String,
    pub(super) inner: &'a TypeInner,
}

impl<'a> ModuleWriter<'a> {
    /// Returns a constant expression as one operand that needs no parentheses.
    pub(super) fn constant(&mut self, handle: Handle<Expression>) -> Result<String> {
        let module = self.module;
        match module.global_expressions[handle] {
            Expression::Literal(value) => literal(value),
            Expression::Constant(constant) => self.constant_value(constant),
            Expression::ZeroValue(ty) => Ok(self.zero(ty)),
            Expression::Compose { ty, ref components } => {
                let mut parts = Vec::with_capacity(components.len());
                for component in components {
                    let inner = self.info[*component].inner_with(&module.types);
                    parts.push(Part { text: self.constant(*component)?, inner });
                }
                self.compose(ty, &parts)
            }
            Expression::Splat { size, value } => {
                let inner = self.info[handle].inner_with(&module.types);
                let text = self.constant(value)?;
                Ok(format!("{}{{{}}}", self.inner_name(inner), vec![text; size as usize].join(", ")))
            }
            _ => Err(TranslateError::invalid("a constant that was not evaluated")),
        }
    }

    /// Returns the zero value of a type. An `f16` is written by its bits, because a table in device memory can be
    /// initialised only in this way.
    fn zero(&self, ty: Handle<Type>) -> String {
        let half = |scalar: naga::Scalar| scalar == naga::Scalar::F16;
        let (name, count) = match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) if half(scalar) => return HALF_ZERO.to_owned(),
            TypeInner::Vector { size, scalar } if half(scalar) => (self.type_name(ty), size as usize),
            _ => return format!("{}{{}}", self.type_name(ty)),
        };
        format!("{name}{{{}}}", [HALF_ZERO].repeat(count).join(", "))
    }

    /// Returns a constant of the module: the name if the constant is a number or a table, otherwise its value.
    pub(super) fn constant_value(&mut self, handle: Handle<Constant>) -> Result<String> {
        let constant = &self.module.constants[handle];
        let value = self.constant(constant.init)?;
        let qualifiers = match self.module.types[constant.ty].inner {
            // A constant of a fundamental type can be used by name in host and device code.
            TypeInner::Scalar(scalar) if scalar.kind != naga::ScalarKind::Float || scalar.width > 2 => {
                "static constexpr"
            }
            // The table is not in `__constant__` memory, whose reads are serialised for lanes with different indices.
            TypeInner::Array { .. } | TypeInner::Matrix { .. } | TypeInner::Struct { .. } => "static __device__ const",
            _ => return Ok(value),
        };
        let name = self.names.constant(handle).to_owned();
        let start = format!("{qualifiers} {} {name} = ", self.type_name(constant.ty));
        if !self.declarations.contains(&start) {
            let _ = writeln!(self.declarations, "{start}{value};");
        }
        Ok(name)
    }

    /// Returns a vector, matrix, array or struct that is composed of these parts.
    pub(super) fn compose(&mut self, ty: Handle<Type>, parts: &[Part<'_>]) -> Result<String> {
        let name = self.type_name(ty);
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            match (&self.module.types[ty].inner, part.inner) {
                (TypeInner::Vector { .. }, TypeInner::Vector { size, .. }) => {
                    for index in 0..*size as u32 {
                        texts.push(format!("{}.{}", part.text, component_name(index)?));
                    }
                }
                _ => texts.push(bare(&part.text).to_owned()),
            }
        }
        let texts = texts.join(", ");
        Ok(match &self.module.types[ty].inner {
            TypeInner::Array { .. } | TypeInner::Matrix { .. } => format!("{name}{{{{{texts}}}}}"),
            _ => format!("{name}{{{texts}}}"),
        })
    }
}

/// Returns a literal as one operand that needs no parentheses.
pub(super) fn literal(literal: Literal) -> Result<String> {
    Ok(match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Literal::I32(value) => signed(i64::from(value), ""),
        Literal::U32(value) => format!("{value}u"),
        // The magnitude of the smallest value exceeds the type's largest value.
        Literal::I64(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
        Literal::I64(value) => signed(value, "ll"),
        Literal::U64(value) => format!("{value}ull"),
        Literal::I16(value) => format!("i16({value})"),
        Literal::U16(value) => format!("u16({value})"),
        Literal::F16(value) => format!("aw_bitcast<f16>(u16({:#06x}))", value.to_bits()),
        Literal::F32(value) if value.is_finite() => signed_float(f64::from(value), 24, "f"),
        Literal::F32(value) => format!("aw_bitcast<f32>({:#010x}u)", value.to_bits()),
        Literal::F64(value) if value.is_finite() => signed_float(value, 53, ""),
        Literal::F64(value) => format!("aw_bitcast<f64>({:#018x}ull)", value.to_bits()),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
            return Err(TranslateError::invalid("a literal without a type"));
        }
    })
}

fn signed(value: i64, suffix: &str) -> String {
    if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
}

/// Returns a finite float: in decimal if a short text is exact, otherwise in hexadecimal, because a compiler that reads
/// a decimal `f32` as an `f64` first would round twice.
fn signed_float(value: f64, precision: u32, suffix: &str) -> String {
    let magnitude = value.abs();
    let eighths = magnitude * 8.0;
    let text = if eighths.fract() == 0.0 && eighths < f64::from(1 << 24) {
        format!("{magnitude:?}{suffix}")
    } else {
        format!("{}{suffix}", hexadecimal(magnitude, precision))
    };
    if value.is_sign_negative() { format!("(-{text})") } else { text }
}

/// Returns a non-negative finite float in C++'s hexadecimal notation.
fn hexadecimal(value: f64, precision: u32) -> String {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    let (exponent, fraction) = (bits >> 52, bits & FRACTION);
    // A subnormal f64 has no leading one, and the smallest exponent.
    let (whole, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent.cast_signed() - 1023) };
    let digits = (precision as usize - 1).div_ceil(4);
    let digits = format!("{fraction:013x}").chars().take(digits).collect::<String>();
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{whole}{point}{digits}p{exponent}")
}
