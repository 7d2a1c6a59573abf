//! The types of complex and real numbers.

use half::f16;

use crate::element::Element;

/// Complex numbers of Fourier transforms, as arrays of the real and the imaginary part: `[f32; 2]` and `[f16; 2]` on every
/// device, and `[f64; 2]` where the device has `f64` ([`Caps::shader`](crate::backend::Caps::shader)).
///
/// Transforms of `f16` compute in `f32`: their first pass reads `f16`, their last one rounds to it, and scratch memory has
/// `f32`. Results beyond 65504 are infinite: [`FftNorm::Ortho`](super::FftNorm::Ortho) keeps those of long transforms below.
///
/// ```
/// fn is_complex<T: anywarp::ops::ComplexElement>() {}
/// is_complex::<[f32; 2]>();
/// is_complex::<[anywarp::f16; 2]>();
/// is_complex::<[f64; 2]>();
/// ```
pub trait ComplexElement: Element + sealed::Complex {}

impl<T: Element + sealed::Complex> ComplexElement for T {}

/// Real numbers of transforms: `f32` on every device, and `f64` where the device has it
/// ([`Caps::shader`](crate::backend::Caps::shader)).
///
/// ```
/// fn is_real<T: anywarp::ops::RealElement>() {}
/// is_real::<f32>();
/// is_real::<f64>();
/// ```
pub trait RealElement: Element + sealed::Real {}

impl<T: Element + sealed::Real> RealElement for T {}

pub(crate) mod sealed {
    /// A complex number.
    pub trait Complex {
        /// The type of the parts.
        type Real: crate::element::Element;

        /// The numbers in which transforms compute.
        type Wide: super::ComplexElement + std::fmt::Debug;

        /// Whether the parts are `f64`.
        const DOUBLES: bool;

        /// Whether the parts are `f16`.
        const HALVES: bool;

        /// The number nearest to `real + imaginary * i`, in which transforms compute.
        fn nearest(number: [f64; 2]) -> Self::Wide;
    }

    /// A real number.
    pub trait Real: crate::element::Element {
        /// The complex numbers with such parts.
        type Complex: super::ComplexElement + Complex<Real = Self>;
    }
}

impl sealed::Real for f32 {
    type Complex = [f32; 2];
}

impl sealed::Real for f64 {
    type Complex = [f64; 2];
}

impl sealed::Complex for [f32; 2] {
    type Real = f32;
    type Wide = Self;

    const DOUBLES: bool = false;
    const HALVES: bool = false;

    fn nearest(number: [f64; 2]) -> Self {
        number.map(|part| part as f32)
    }
}

impl sealed::Complex for [f16; 2] {
    type Real = f16;
    type Wide = [f32; 2];

    const DOUBLES: bool = false;
    const HALVES: bool = true;

    fn nearest(number: [f64; 2]) -> [f32; 2] {
        number.map(|part| part as f32)
    }
}

impl sealed::Complex for [f64; 2] {
    type Real = f64;
    type Wide = Self;

    const DOUBLES: bool = true;
    const HALVES: bool = false;

    fn nearest(number: [f64; 2]) -> Self {
        number
    }
}
