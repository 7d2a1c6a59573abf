//! The element types of sparse matrices.

use crate::element::Element;

/// Element types of sparse matrices: `f32`, on every device, and `f64`, on devices that have it.
pub trait SparseElement: Element + sealed::Number {}

impl<T: Element + sealed::Number> SparseElement for T {}

pub(super) mod sealed {
    /// A number that kernels multiply and add.
    pub trait Number: Sized {
        /// Whether the type is `f64`.
        const WIDE: bool;

        /// Rounds a number to the type.
        fn of(number: f64) -> Self;

        /// Returns the number, exactly.
        fn wide(self) -> f64;
    }
}

impl sealed::Number for f32 {
    const WIDE: bool = false;

    fn of(number: f64) -> Self {
        number as Self
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl sealed::Number for f64 {
    const WIDE: bool = true;

    fn of(number: f64) -> Self {
        number
    }

    fn wide(self) -> f64 {
        self
    }
}
