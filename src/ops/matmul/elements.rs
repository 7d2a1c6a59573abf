//! What matrices can be made of, and the kernel for each.

pub(super) mod sealed {
    use anywarp_backend::Precision;

    use super::super::run::{Tiles, tiles_f32, tiles_packed};
    use crate::element::Element;

    /// What the product has to know of its elements.
    pub trait Numbers: Sized {
        /// The library's name for them.
        const PRECISION: Precision;
        /// The precisions that there are for them, for errors.
        const FITTING: &'static str;
        /// What the kernel takes matrices as arrays of.
        type Cell: Element;

        /// The kernel that computes the product.
        #[doc(hidden)]
        const TILES: Tiles<Self::Cell>;
    }

    impl Numbers for f32 {
        const PRECISION: Precision = Precision::F32;
        const FITTING: &'static str = "f32 and tf32 fit";
        type Cell = f32;
        const TILES: Tiles<f32> = tiles_f32;
    }

    impl Numbers for half::f16 {
        const PRECISION: Precision = Precision::F16;
        const FITTING: &'static str = "f16 fits";
        type Cell = u32;
        const TILES: Tiles<u32> = tiles_packed::<false>;
    }

    impl Numbers for half::bf16 {
        const PRECISION: Precision = Precision::Bf16;
        const FITTING: &'static str = "bf16 fits";
        type Cell = u32;
        const TILES: Tiles<u32> = tiles_packed::<true>;
    }
}
