//! Routines of libraries, a vendor's or one for processors, as commands.

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

/// A kind of routine that a device's library may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Routine {
    /// [`Library::MatrixProduct`] with this precision.
    MatrixProduct(Precision),
}

/// A factor of type `f32`, stored as its bits so that commands can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor(u32);

impl Factor {
    /// The factor 0.
    pub const ZERO: Self = Self(0);
    /// The factor 1.
    pub const ONE: Self = Self::new(1.0);

    /// Returns the factor with this value.
    #[must_use]
    pub const fn new(value: f32) -> Self {
        Self(value.to_bits())
    }

    /// Returns the factor's value.
    #[must_use]
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// Batches, transposes and factors of a matrix product. The default is one product of matrices that are not transposed,
/// with `alpha` 1 and `beta` 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductForm {
    /// Whether `a` is stored transposed, as `depth` x `rows`, and whether `b` is, as `columns` x `depth`.
    pub transposed: [bool; 2],
    /// The number of products; not zero. The matrices of successive products follow each other in memory.
    pub batches: u32,
    /// Whether all products share one matrix `a`, and whether they share one matrix `b`.
    pub shared: [bool; 2],
    /// `alpha`, the factor of the products.
    pub alpha: Factor,
    /// `beta`, the factor of the old values of `c`; if it is 0, those values are not read.
    pub beta: Factor,
}

impl Default for ProductForm {
    fn default() -> Self {
        Self { transposed: [false; 2], batches: 1, shared: [false; 2], alpha: Factor::ONE, beta: Factor::ZERO }
    }
}

/// Shows only the fields that differ from the default, each after a space.
impl fmt::Display for ProductForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transposed, batches, shared, alpha, beta } = *self;
        for (name, transposed, shared) in [("a", transposed[0], shared[0]), ("b", transposed[1], shared[1])] {
            let transposed = if transposed { format!(" transposed {name}") } else { String::new() };
            let shared = if shared { format!(" shared {name}") } else { String::new() };
            write!(f, "{transposed}{shared}")?;
        }
        if batches != 1 {
            write!(f, " batch of {batches}")?;
        }
        if alpha != Factor::ONE {
            write!(f, " times {}", alpha.get())?;
        }
        if beta != Factor::ZERO {
            write!(f, " plus {} c", beta.get())?;
        }
        Ok(())
    }
}

/// A call of a routine of the vendor's library, with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// `c = alpha a b + beta c`. All matrices are dense and row-major; `form` may transpose `a` and `b`.
    MatrixProduct {
        /// The matrix `a` of `rows` x `depth` elements, which is read.
        a: Region,
        /// The matrix `b` of `depth` x `columns` elements, which is read.
        b: Region,
        /// The matrix `c` of `rows` x `columns` elements, which is written; it is also read if `beta` is not 0.
        c: Region,
        /// Rows of `a` and `c`; not zero.
        rows: u32,
        /// Columns of `b` and `c`; not zero.
        columns: u32,
        /// Columns of `a` and rows of `b`; not zero.
        depth: u32,
        /// The element type of all three matrices, and the arithmetic.
        precision: Precision,
        /// The number of products, transposed matrices and the factors `alpha` and `beta`.
        form: ProductForm,
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

/// The text form that snapshots of recordings use.
impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatrixProduct { a, b, c, rows, columns, depth, precision, form } => {
                write!(f, "matrix product {precision} {rows}x{depth}x{columns}{form} read {a} read {b} write {c}")
            }
        }
    }
}
