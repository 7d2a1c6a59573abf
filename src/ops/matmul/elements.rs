//! The element types of matrices, and the kernels for each.

pub(super) mod sealed {
    use anywarp_backend::Precision;

    use super::super::calls::Launch;
    use super::super::launch::{launch_bf16, launch_bf16_to_f32, launch_f16, launch_f16_to_f32, launch_f32};

    /// The properties of an element type that the product needs.
    pub trait Numbers: ResultOf<Self> {
        /// The library's name of the type.
        const PRECISION: Precision;
        /// The possible precisions, for errors.
        const FITTING: &'static str;
    }

    /// A type of results, for factors of type `T`.
    pub trait ResultOf<T>: Sized {
        /// Launches a kernel of the product.
        #[doc(hidden)]
        const LAUNCH: Launch<T, Self>;
    }

    /// Factors that have results in `f32` beside those of their own type.
    pub trait Narrow: Numbers {}

    impl Narrow for half::f16 {}
    impl Narrow for half::bf16 {}

    impl Numbers for f32 {
        const PRECISION: Precision = Precision::F32;
        const FITTING: &'static str = "use f32 or tf32";
    }

    impl Numbers for half::f16 {
        const PRECISION: Precision = Precision::F16;
        const FITTING: &'static str = "use f16";
    }

    impl Numbers for half::bf16 {
        const PRECISION: Precision = Precision::Bf16;
        const FITTING: &'static str = "use bf16";
    }

    impl ResultOf<f32> for f32 {
        const LAUNCH: Launch<f32, Self> = launch_f32;
    }

    impl ResultOf<half::f16> for half::f16 {
        const LAUNCH: Launch<half::f16, Self> = launch_f16;
    }

    impl ResultOf<half::bf16> for half::bf16 {
        const LAUNCH: Launch<half::bf16, Self> = launch_bf16;
    }

    impl ResultOf<half::f16> for f32 {
        const LAUNCH: Launch<half::f16, Self> = launch_f16_to_f32;
    }

    impl ResultOf<half::bf16> for f32 {
        const LAUNCH: Launch<half::bf16, Self> = launch_bf16_to_f32;
    }
}
