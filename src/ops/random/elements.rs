//! The element types of random numbers.

use std::fmt::Debug;

use super::draw::Draw;
use crate::element::Element;

/// Element types of random bits: `u32`, `i32`, `u64`, `i64`.
pub trait RandomBits: Element + sealed::Bits {}

impl<T: Element + sealed::Bits> RandomBits for T {}

/// Element types of uniform numbers from 0 to 1: `f16`, `f32`, `f64`.
pub trait RandomFloat: Element + sealed::Float {}

impl<T: Element + sealed::Float> RandomFloat for T {}

/// Element types of the normal and the exponential distribution: `f16`, `f32`. `f64` is not supported: numbers are
/// computed in fixed point of 32 bits, so that all devices draw the same bits, and 32 bits are too few for an `f64`.
pub trait RandomReal: Element + sealed::Real {}

impl<T: Element + sealed::Real> RandomReal for T {}

/// Element types of integers in a range: `u32`, `i32`.
pub trait RandomInteger: Element + Debug + sealed::Integer {}

impl<T: Element + Debug + sealed::Integer> RandomInteger for T {}

/// Element types of draws of 0 or 1: `u32`, `i32`, `f32`.
pub trait RandomNumber: Element + sealed::Number {}

impl<T: Element + sealed::Number> RandomNumber for T {}

mod sealed {
    use std::ops::Range;

    use super::Draw;

    pub trait Bits {}

    impl Bits for u32 {}
    impl Bits for i32 {}
    impl Bits for u64 {}
    impl Bits for i64 {}

    #[allow(private_interfaces, reason = "the trait is sealed")]
    pub trait Float {
        const UNIFORM: Draw;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    pub trait Real {
        const NORMAL: Draw;
        const EXPONENTIAL: Draw;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    impl Real for half::f16 {
        const NORMAL: Draw = Draw::NormalF16;
        const EXPONENTIAL: Draw = Draw::ExponentialF16;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    impl Real for f32 {
        const NORMAL: Draw = Draw::Normal;
        const EXPONENTIAL: Draw = Draw::Exponential;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    impl Float for half::f16 {
        const UNIFORM: Draw = Draw::UniformF16;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    impl Float for f32 {
        const UNIFORM: Draw = Draw::UniformF32;
    }

    #[allow(private_interfaces, reason = "the trait is sealed")]
    impl Float for f64 {
        const UNIFORM: Draw = Draw::UniformF64;
    }

    pub trait Integer: Sized {
        /// The bits of the lowest value, and the number of values; 0 for an empty range.
        fn low_and_span(range: &Range<Self>) -> (u32, u64);
    }

    impl Integer for u32 {
        fn low_and_span(range: &Range<u32>) -> (u32, u64) {
            (range.start, u64::from(range.end.saturating_sub(range.start)))
        }
    }

    impl Integer for i32 {
        fn low_and_span(range: &Range<i32>) -> (u32, u64) {
            let span = i64::from(range.end) - i64::from(range.start);
            (range.start.cast_unsigned(), u64::try_from(span).unwrap_or(0))
        }
    }

    pub trait Number {
        /// The bits of the number 1.
        const ONE: u32;
    }

    impl Number for u32 {
        const ONE: u32 = 1;
    }

    impl Number for i32 {
        const ONE: u32 = 1;
    }

    impl Number for f32 {
        const ONE: u32 = 1f32.to_bits();
    }
}
