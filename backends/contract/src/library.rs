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

/// A factor as its bits, so that commands can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor(u32);

impl Factor {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self::new(1.0);

    /// Wraps a number.
    #[must_use]
    pub const fn new(value: f32) -> Self {
        Self(value.to_bits())
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// The form of a matrix product. The default is one product of matrices that are not transposed, with `alpha` 1 and
/// `beta` 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductForm {
    /// Whether `a` and `b` are stored transposed: `depth` x `rows` and `columns` x `depth`.
    pub transposed: [bool; 2],
    /// The number of products; not zero. Their matrices follow each other.
    pub batches: u32,
    /// Whether all products share one `a`, and one `b`.
    pub shared: [bool; 2],
    /// The factor of the products.
    pub alpha: Factor,
    /// The factor of the old values of `c`, which are not read if it is 0.
    pub beta: Factor,
}

impl Default for ProductForm {
    fn default() -> Self {
        Self { transposed: [false; 2], batches: 1, shared: [false; 2], alpha: Factor::ONE, beta: Factor::ZERO }
    }
}

/// Shows what differs from the default, each part behind a space.
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

/// A call of a library routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// `c = alpha a b + beta c`. All matrices are dense and row-major, or transposed.
    MatrixProduct {
        /// `rows` x `depth`, read.
        a: Region,
        /// `depth` x `columns`, read.
        b: Region,
        /// `rows` x `columns`, written; read too, if `beta` is not 0.
        c: Region,
        /// Rows of `a` and `c`; not zero.
        rows: u32,
        /// Columns of `b` and `c`; not zero.
        columns: u32,
        /// Columns of `a` and rows of `b`; not zero.
        depth: u32,
        /// The precision of all three.
        precision: Precision,
        /// Batches, transposes and factors.
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

/// The form that snapshots of recordings use.
impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MatrixProduct { a, b, c, rows, columns, depth, precision, form } => {
                write!(f, "matrix product {precision} {rows}x{depth}x{columns}{form} read {a} read {b} write {c}")
            }
        }
    }
}
