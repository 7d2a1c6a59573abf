//! The element types of matrices, and the kernel for each.

pub(super) mod sealed {
    use anywarp_backend::Precision;

    use super::super::run::{Tiles, tiles_f32, tiles_packed};
    use crate::element::Element;

    /// The properties of an element type that the product needs.
    pub trait Numbers: Sized {
        /// The library's name of the type.
        const PRECISION: Precision;
        /// The possible precisions, for errors.
        const FITTING: &'static str;
        /// The element type of the arrays in the kernel.
        type Cell: Element;

        /// The kernel that computes the product.
        #[doc(hidden)]
        const TILES: Tiles<Self::Cell>;
    }

    impl Numbers for f32 {
        const PRECISION: Precision = Precision::F32;
        const FITTING: &'static str = "use f32 or tf32";
        type Cell = f32;
        const TILES: Tiles<f32> = tiles_f32;
    }

    impl Numbers for half::f16 {
        const PRECISION: Precision = Precision::F16;
        const FITTING: &'static str = "use f16";
        type Cell = u32;
        const TILES: Tiles<u32> = tiles_packed::<false>;
    }

    impl Numbers for half::bf16 {
        const PRECISION: Precision = Precision::Bf16;
        const FITTING: &'static str = "use bf16";
        type Cell = u32;
        const TILES: Tiles<u32> = tiles_packed::<true>;
    }
}
