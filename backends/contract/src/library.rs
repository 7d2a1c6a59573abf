//! Routines of libraries, a vendor's or one for processors, as commands.

use std::fmt;

use crate::{Access, ProductForm, Region, Transform};

/// The element type of the factors of a matrix product, and its arithmetic.
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
    /// [`Library::MatrixProduct`] with this precision, of dense matrices, with a result of the factors' type.
    MatrixProduct(Precision),
    /// The same with factors of 16 bits and a result in `f32`: [`ProductForm::wide`].
    WideProduct(Precision),
    /// [`MatrixProduct`](Self::MatrixProduct) with distances of rows and matrices: [`ProductForm::strides`].
    StridedProduct(Precision),
    /// [`WideProduct`](Self::WideProduct) with distances of rows and matrices.
    StridedWideProduct(Precision),
    /// [`Library::FourierTransform`] of numbers whose parts are `f32`, or `f64` if `double`.
    FourierTransform {
        /// Whether parts of numbers are `f64`.
        double: bool,
    },
}

impl Routine {
    /// Returns the routines of all forms of matrix products of one precision: without and with strides and, if factors
    /// have 16 bits, also with results in `f32`.
    ///
    /// ```
    /// use anywarp_backend::{Precision, Routine};
    ///
    /// assert!(Routine::matrix_products(Precision::Bf16).any(|routine| routine == Routine::WideProduct(Precision::Bf16)));
    /// assert_eq!(Routine::matrix_products(Precision::F32).count(), 2);
    /// ```
    pub fn matrix_products(precision: Precision) -> impl Iterator<Item = Self> {
        let own = [Self::MatrixProduct(precision), Self::StridedProduct(precision)];
        let wide = [Self::WideProduct(precision), Self::StridedWideProduct(precision)];
        own.into_iter().chain(wide.into_iter().filter(move |_| precision.bytes() == 2))
    }
}

/// A call of a routine of the vendor's library, with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// `c = alpha a b + beta c`. All matrices are row-major, and dense unless `form` has strides; it may also transpose
    /// `a` and `b`. Sums are computed in `f32`. With strides, nothing between the rows of `c` is written.
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
        /// The element type of `a` and `b`, and of `c` unless `form` is wide; and the arithmetic.
        precision: Precision,
        /// The number of products, transposed matrices, strides, the type of `c`, and the factors `alpha` and `beta`.
        form: ProductForm,
    },
    /// The Fourier transforms of all lines of an array, of any length.
    FourierTransform {
        /// The array that is read.
        x: Region,
        /// The array that is written, of the same form; the same region as `x` for a transform in place.
        y: Region,
        /// The lines, the numbers, the direction and the factor.
        transform: Transform,
    },
}

impl Library {
    /// The routine that the call needs.
    #[must_use]
    pub fn routine(&self) -> Routine {
        match self {
            Self::MatrixProduct { precision, form, .. } => form.routine(*precision),
            Self::FourierTransform { transform, .. } => Routine::FourierTransform { double: transform.double },
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
            Self::FourierTransform { x, y, .. } => {
                visit(*x, Access::Read);
                visit(*y, Access::Write);
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
            Self::FourierTransform { x, y, transform } => {
                write!(f, "Fourier transform {transform} read {x} write {y}")
            }
        }
    }
}
