//! The memory layout of a type that host and device share.
//!
//! Sizes, alignments and offsets follow the WGSL specification, section "Memory Layout".

use std::fmt;

/// Whether a scalar type is a signed integer, an unsigned integer or a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// `i16`, `i32`, `i64`.
    Signed,
    /// `u16`, `u32`, `u64`.
    Unsigned,
    /// `f16`, `f32`, `f64`.
    Float,
}

/// A scalar type: its kind and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// Whether the scalar is signed, unsigned or floating.
    pub kind: ScalarKind,
    /// Size in bytes.
    pub width: u8,
}

impl Scalar {
    /// Returns the scalar of 16, 32 or 64 bits with this name: `f16`, `i32`, `u64`.
    ///
    /// ```
    /// use anywarp_backend::{Scalar, ScalarKind};
    ///
    /// assert_eq!(Scalar::named("f16"), Some(Scalar { kind: ScalarKind::Float, width: 2 }));
    /// assert_eq!(Scalar::named("bool"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let kind = match name.get(..1)? {
            "i" => ScalarKind::Signed,
            "u" => ScalarKind::Unsigned,
            "f" => ScalarKind::Float,
            _ => return None,
        };
        let width = match name.get(1..)? {
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => return None,
        };
        Some(Self { kind, width })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            ScalarKind::Signed => 'i',
            ScalarKind::Unsigned => 'u',
            ScalarKind::Float => 'f',
        };
        write!(f, "{letter}{}", u32::from(self.width) * 8)
    }
}

/// One member of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The member's name.
    pub name: String,
    /// The offset of the member, in bytes from the start of the struct.
    pub offset: u32,
    /// The member's type.
    pub layout: Layout,
}

/// The structure of a type: a scalar, vector, matrix, array or struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One scalar or atomic.
    Scalar(Scalar),
    /// `vecN<T>`
    Vector {
        /// N, the number of components.
        length: u32,
        /// T, the type of a component.
        scalar: Scalar,
    },
    /// `matCxR<T>`, column-major.
    Matrix {
        /// C, the number of columns.
        columns: u32,
        /// R, the number of rows.
        rows: u32,
        /// T, the type of an element.
        scalar: Scalar,
        /// Bytes from one column to the next.
        column_stride: u32,
    },
    /// `array<T, N>` or, with no count, `array<T>`.
    Array {
        /// T, the type of an element.
        element: Box<Layout>,
        /// N, the number of elements; `None` for a runtime-sized array.
        count: Option<u32>,
        /// Bytes from one element to the next.
        stride: u32,
    },
    /// A struct of named members.
    Struct {
        /// The struct's members, in the order of their declaration.
        fields: Vec<Field>,
    },
}

/// A type and its memory layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The type as it is written in WGSL (or in Rust, for a Rust type).
    pub name: String,
    /// Size in bytes; for a type that ends in a runtime-sized array, the size with one element.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// The structure of the type.
    pub shape: Shape,
}

impl Layout {
    /// The scalar that the whole type consists of, apart from padding: `f32` for `array<vec3<f32>>`; `None` for a
    /// struct of several kinds of scalars.
    #[must_use]
    pub fn uniform_scalar(&self) -> Option<Scalar> {
        match &self.shape {
            Shape::Scalar(scalar) | Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } => Some(*scalar),
            Shape::Array { element, .. } => element.uniform_scalar(),
            Shape::Struct { fields } => {
                let first = fields.first()?.layout.uniform_scalar()?;
                fields.iter().all(|field| field.layout.uniform_scalar() == Some(first)).then_some(first)
            }
        }
    }

    /// Offset and stride in bytes of the runtime-sized array that the type is or ends in; `None` for a type of fixed
    /// size.
    #[must_use]
    pub fn unsized_tail(&self) -> Option<(u32, u32)> {
        match &self.shape {
            Shape::Array { count: None, stride, .. } => Some((0, *stride)),
            Shape::Struct { fields } => {
                let last = fields.last()?;
                last.layout.unsized_tail().map(|(offset, stride)| (last.offset + offset, stride))
            }
            _ => None,
        }
    }

    /// Writes the type as a table of offsets, one line per member, indented by `indent` spaces.
    pub fn describe(&self, out: &mut String, indent: usize) {
        use fmt::Write;
        let _ = writeln!(out, "{:indent$}{}: {} bytes, align {}", "", self.name, self.size, self.align);
        if let Shape::Struct { fields } = &self.shape {
            for field in fields {
                let _ = writeln!(
                    out,
                    "{:indent$}  at {:>4}  {}: {}, {} bytes",
                    "", field.offset, field.name, field.layout.name, field.layout.size
                );
            }
        }
    }
}
