//! The element types of matrices, and the kernels for each.

pub(super) mod sealed {
    use anywarp_backend::Precision;

    use super::super::launch::{Launch, launch_bf16, launch_f16, launch_f32};

    /// The properties of an element type that the product needs.
    pub trait Numbers: Sized {
        /// The library's name of the type.
        const PRECISION: Precision;
        /// The possible precisions, for errors.
        const FITTING: &'static str;
        /// Launches a kernel of the product.
        #[doc(hidden)]
        const LAUNCH: Launch<Self>;
    }

    impl Numbers for f32 {
        const PRECISION: Precision = Precision::F32;
        const FITTING: &'static str = "use f32 or tf32";
        const LAUNCH: Launch<Self> = launch_f32;
    }

    impl Numbers for half::f16 {
        const PRECISION: Precision = Precision::F16;
        const FITTING: &'static str = "use f16";
        const LAUNCH: Launch<Self> = launch_f16;
    }

    impl Numbers for half::bf16 {
        const PRECISION: Precision = Precision::Bf16;
        const FITTING: &'static str = "use bf16";
        const LAUNCH: Launch<Self> = launch_bf16;
    }
}
