//! The form of Fourier transforms by a library.

use std::fmt;

/// Fourier transforms of the lines of an array along one axis. A complex number is its real part and its imaginary part.
///
/// ```
/// use anywarp_backend::{Scale, Transform};
///
/// // The columns of four matrices of 512 x 3.
/// let columns =
///     Transform { lines: 4, length: 512, inner: 3, inverse: false, double: false, scale: Scale::new(1.0 / 512.0) };
/// assert_eq!(columns.numbers(), 4 * 512 * 3);
/// assert_eq!(columns.to_string(), "4x512x3 of f32 times 0.001953125");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transform {
    /// The number of parts of the array that precede the axis; not zero.
    pub lines: u32,
    /// The length of the axis; not zero.
    pub length: u32,
    /// The number of elements from one number of a line to the next; not zero.
    pub inner: u32,
    /// Whether exponents are positive, as in the inverse transform.
    pub inverse: bool,
    /// Whether parts of numbers are `f64` instead of `f32`.
    pub double: bool,
    /// The factor of the results.
    pub scale: Scale,
}

impl Transform {
    /// The complex numbers of the array.
    #[must_use]
    pub fn numbers(&self) -> u128 {
        u128::from(self.lines) * u128::from(self.length) * u128::from(self.inner)
    }

    /// Bytes of the real part of a number.
    #[must_use]
    pub fn bytes_of_part(&self) -> u64 {
        if self.double { 8 } else { 4 }
    }
}

/// The text form that snapshots of recordings use.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, length, inner, inverse, double, scale } = *self;
        let (way, part) = (if inverse { "inverse " } else { "" }, if double { "f64" } else { "f32" });
        write!(f, "{way}{lines}x{length}x{inner} of {part}")?;
        if scale != Scale::ONE {
            write!(f, " times {}", scale.get())?;
        }
        Ok(())
    }
}

/// A factor of type `f64`, stored as its bits so that commands can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(u64);

impl Scale {
    /// The factor 1.
    pub const ONE: Self = Self::new(1.0);

    /// Returns the factor with this value.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// Returns the factor's value.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}
