//! The element types that are compared.

use anywarp::ops::{RealElement, SignalElement, SparseElement};

/// `f32` or `f64`.
pub(super) trait Number:
    SparseElement + RealElement<Complex = [Self; 2]> + SignalElement<Complex = [Self; 2]>
{
    const NAME: &'static str;
    const EPSILON: f64;
    /// The bound of the relative error of a Fourier transform of `n` numbers is this, times the logarithm of `n` to base 2.
    const TRANSFORM: f64;
    /// The tolerance of iterative solvers.
    const TOLERANCE: f64;

    fn narrow(value: f64) -> Self;
    fn double(self) -> f64;
}

macro_rules! number {
    ($type:ident, $transform:literal, $tolerance:literal) => {
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const EPSILON: f64 = $type::EPSILON as f64;
            const TRANSFORM: f64 = $transform;
            const TOLERANCE: f64 = $tolerance;

            fn narrow(value: f64) -> Self {
                value as Self
            }

            fn double(self) -> f64 {
                self as f64
            }
        }
    };
}

number!(f32, 2e-7, 1e-5);
number!(f64, 4e-16, 1e-12);

pub(super) fn typed<T: Number>(numbers: &[f64]) -> Vec<T> {
    numbers.iter().map(|number| T::narrow(*number)).collect()
}

pub(super) fn wide<T: Number>(numbers: &[T]) -> Vec<f64> {
    numbers.iter().map(|number| number.double()).collect()
}

/// Complex numbers from their parts.
pub(super) fn complex<T: Number>(parts: &[f64]) -> Vec<[T; 2]> {
    parts.chunks_exact(2).map(|parts| [T::narrow(parts[0]), T::narrow(parts[1])]).collect()
}

/// The parts of complex numbers.
pub(super) fn parts<T: Number>(numbers: &[[T; 2]]) -> Vec<f64> {
    numbers.iter().flatten().map(|part| part.double()).collect()
}
