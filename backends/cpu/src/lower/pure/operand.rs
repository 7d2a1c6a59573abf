//! Operands, and the representation of scalar types in registers.

use naga::{Literal, Scalar, ScalarKind, TypeInner};

use crate::ir::{BinaryOp, Builder, Class, MemType, UnaryOp, Value};

/// A scalar, vector or matrix with the values of its components.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// The type of the operand.
    pub(crate) inner: &'a TypeInner,
    /// The components of the operand; those of a matrix are column by column.
    pub(crate) values: &'a [Value],
}

impl Operand<'_> {
    /// The type of a component.
    pub(super) fn scalar(&self) -> Result<Scalar, String> {
        let (scalar, count) = match *self.inner {
            TypeInner::Scalar(scalar) => (scalar, 1),
            TypeInner::Vector { size, scalar } => (scalar, size as usize),
            TypeInner::Matrix { columns, rows, scalar } => (scalar, columns as usize * rows as usize),
            ref other => return Err(format!("arithmetic on {other:?} is not valid")),
        };
        if class(scalar).is_none() {
            return Err(format!("arithmetic on {scalar:?} cannot be used in a kernel on the CPU backend"));
        }
        if count != self.values.len() {
            return Err(format!("{} values are not an operand of type {:?}", self.values.len(), self.inner));
        }
        Ok(scalar)
    }

    /// The component with this index; for a scalar always the scalar itself.
    pub(super) fn component(&self, index: usize) -> Result<Value, String> {
        match self.values {
            [only] => Ok(*only),
            values => values.get(index).copied().ok_or_else(|| format!("{:?} has no component {index}", self.inner)),
        }
    }
}

/// The class of the register that contains a scalar; `None` if the backend does not support its type.
pub(super) fn class(scalar: Scalar) -> Option<Class> {
    mem_type(scalar).map(MemType::class)
}

/// The form of a scalar in memory; `None` if the backend does not support its type.
pub(crate) fn mem_type(scalar: Scalar) -> Option<MemType> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => MemType::Bool,
        (ScalarKind::Sint, 2) => MemType::I16,
        (ScalarKind::Uint, 2) => MemType::U16,
        (ScalarKind::Sint | ScalarKind::Uint, 4) => MemType::I32,
        (ScalarKind::Sint | ScalarKind::Uint, 8) => MemType::I64,
        (ScalarKind::Float, 2) => MemType::F16,
        (ScalarKind::Float, 4) => MemType::F32,
        (ScalarKind::Float, 8) => MemType::F64,
        _ => return None,
    })
}

/// The constant with the value of a literal.
pub(crate) fn literal(b: &mut Builder, literal: Literal) -> Result<Value, String> {
    Ok(match literal {
        Literal::Bool(value) => b.bool(value),
        Literal::I16(value) => b.i32(i32::from(value)),
        Literal::U16(value) => b.u32(u32::from(value)),
        Literal::I32(value) => b.i32(value),
        Literal::U32(value) => b.u32(value),
        Literal::I64(value) => b.constant(Class::I64, value.cast_unsigned()),
        Literal::U64(value) => b.constant(Class::I64, value),
        Literal::F16(value) => b.f32(value.to_f32()),
        Literal::F32(value) => b.f32(value),
        Literal::F64(value) => b.f64(value),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
            return Err("a literal without a concrete type".to_owned());
        }
    })
}

/// Reduces a value that was computed in a wider register to the range of its type: rounds to `f16`, wraps to 16 bits.
pub(super) fn fit(b: &mut Builder, scalar: Scalar, value: Value) -> Value {
    match mem_type(scalar) {
        Some(MemType::F16) => b.unary(UnaryOp::RoundF16, value),
        Some(MemType::U16) => {
            let mask = b.u32(0xffff);
            b.binary(BinaryOp::And, value, mask)
        }
        Some(MemType::I16) => {
            let sixteen = b.u32(16);
            let high = b.binary(BinaryOp::Shl, value, sixteen);
            b.binary(BinaryOp::ShrS, high, sixteen)
        }
        _ => value,
    }
}

/// The integer constant with the low bits of `value`, in the class of `like`.
pub(super) fn integer_like(b: &mut Builder, like: Value, value: i64) -> Value {
    let class = b.class(like);
    b.constant(class, value.cast_unsigned())
}

/// The float constant `value`, rounded to the class of `like`.
pub(super) fn float_like(b: &mut Builder, like: Value, value: f64) -> Value {
    let class = b.class(like);
    b.float(class, value)
}
