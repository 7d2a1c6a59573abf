//! Routines of the vendor's libraries, as commands.

use std::fmt;

use crate::{Access, Region};

/// The element type and the arithmetic of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// `f32`, multiplied and added as `f32`.
    F32,
    /// `f32`, rounded to 10 bits of mantissa for the product; added as `f32`.
    Tf32,
    /// `f16`, added as `f32`.
    F16,
    /// `bf16`, added as `f32`.
    Bf16,
}

impl Precision {
    /// Bytes of one element.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::Tf32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        })
    }
}

/// A routine that a device may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Routine {
    /// [`Library::MatrixProduct`] with this precision.
    MatrixProduct(Precision),
}

/// A call of a library routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// `c = a b`. All matrices are dense and row-major.
    MatrixProduct {
        /// `rows` x `depth`, read.
        a: Region,
        /// `depth` x `columns`, read.
        b: Region,
        /// `rows` x `columns`, written.
        c: Region,
        /// Rows of `a` and `c`; not zero.
        rows: u32,
        /// Columns of `b` and `c`; not zero.
        columns: u32,
        /// Columns of `a` and rows of `b`; not zero.
        depth: u32,
        /// The precision of all three.
        precision: Precision,
    },
}

impl Library {
    /// The routine that the call needs.
    #[must_use]
    pub fn routine(&self) -> Routine {
        match self {
            Self::MatrixProduct { precision, .. } => Routine::MatrixProduct(*precision),
        }
    }

    /// Calls `visit` with every region that the call accesses.
    pub fn visit_regions(&self, mut visit: impl FnMut(Region, Access)) {
        match self {
            Self::MatrixProduct { a, b, c, .. } => {
                visit(*a, Access::Read);
                visit(*b, Access::Read);
                visit(*c, Access::Write);
            }
        }
    }
}

/// The form that snapshots of recordings use.
impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatrixProduct { a, b, c, rows, columns, depth, precision } => {
                write!(f, "matrix product {precision} {rows}x{depth}x{columns} read {a} read {b} write {c}")
            }
        }
    }
}
