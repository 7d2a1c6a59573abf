//! The shapes of types for lowering, and the layout rules of their scalars.

use naga::{CooperativeRole, Handle, Scalar, Type, TypeInner, VectorSize};

use super::error::{LowerError, Result};
use super::pure;
use crate::abi::LANES;
use crate::ir::MemType;

/// A storable type, with the properties that lowering needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Scalar(Scalar),
    Vector(VectorSize, Scalar),
    Matrix { columns: VectorSize, rows: VectorSize, scalar: Scalar },
    Cooperative { columns: u32, rows: u32, scalar: Scalar, role: CooperativeRole },
    Atomic(Scalar),
    Array(Handle<Type>),
    Struct(Handle<Type>),
}

/// The rule for sizes and offsets of scalars, which depends on where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The rule of workgroup memory: sizes are those of [`MemType::bytes`].
    Workgroup = 0,
    /// The rule of private memory: sizes are those of registers.
    Private = 1,
    /// The rule of values and register variables: each scalar has size one.
    Registers = 2,
    /// The rule of buffers: offsets are those of naga.
    Buffer = 3,
}

impl Shape {
    /// The scalar type of this shape, and the number of scalars per invocation; 0 for an array or a struct.
    pub(super) fn scalars(self) -> (Scalar, u32) {
        match self {
            Self::Scalar(scalar) | Self::Atomic(scalar) => (scalar, 1),
            Self::Vector(size, scalar) => (scalar, size as u32),
            Self::Matrix { columns, rows, scalar } => (scalar, columns as u32 * rows as u32),
            // Every invocation has all elements of A, but only the columns of B and C that belong to its lane.
            Self::Cooperative { columns, rows, scalar, role: CooperativeRole::A } => (scalar, columns * rows),
            Self::Cooperative { columns, rows, scalar, .. } => (scalar, columns / LANES as u32 * rows),
            Self::Array(_) | Self::Struct(_) => (Scalar::U32, 0),
        }
    }
}

/// The form of a scalar in memory.
pub(super) fn mem_type(scalar: Scalar) -> Result<MemType> {
    pure::mem_type(scalar).ok_or_else(|| LowerError::unsupported(&format!("the scalar type {scalar:?}")))
}

/// The shape of a type that is not an array or struct.
pub(super) fn leaf(inner: &TypeInner) -> Option<Shape> {
    Some(match *inner {
        TypeInner::Scalar(scalar) => Shape::Scalar(scalar),
        TypeInner::Vector { size, scalar } => Shape::Vector(size, scalar),
        TypeInner::Matrix { columns, rows, scalar } => Shape::Matrix { columns, rows, scalar },
        TypeInner::Atomic(scalar) => Shape::Atomic(scalar),
        TypeInner::CooperativeMatrix { columns, rows, scalar, role } => {
            Shape::Cooperative { columns: columns as u32, rows: rows as u32, scalar, role }
        }
        _ => return None,
    })
}

/// The name for error messages of a type that has no shape.
pub(super) fn kind(inner: &TypeInner) -> &'static str {
    match inner {
        TypeInner::Image { .. } => "a texture",
        TypeInner::Sampler { .. } => "a sampler",
        TypeInner::AccelerationStructure { .. } => "an acceleration structure",
        TypeInner::RayQuery { .. } => "a ray query",
        TypeInner::BindingArray { .. } => "an array of bindings",
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "a pointer that is stored",
        _ => "a type of this kind",
    }
}

/// The size of a scalar: in bytes, or 1 for [`Rule::Registers`].
pub(super) fn scalar_bytes(scalar: Scalar, rule: Rule) -> u32 {
    let Some(ty) = pure::mem_type(scalar) else { return 4 };
    match rule {
        Rule::Workgroup => ty.bytes(),
        Rule::Private => ty.class().bytes(),
        Rule::Registers => 1,
        Rule::Buffer => u32::from(scalar.width),
    }
}
