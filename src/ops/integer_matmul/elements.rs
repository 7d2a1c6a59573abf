//! The element types of integer products.

use crate::element::Element;

/// Elements of matrices that [`integer_matmul`](super::integer_matmul) multiplies: `i8` and `u8`.
pub trait ByteElement: Element + sealed::Byte {}

impl<T: Element + sealed::Byte> ByteElement for T {}

/// Elements of products of 8-bit integers: `i32` and `u32`, with the same bits.
pub trait SumElement: Element + sealed::Sum {}

impl<T: Element + sealed::Sum> SumElement for T {}

pub(super) mod sealed {
    /// An integer of 8 bits.
    pub trait Byte {
        /// The least and the greatest number.
        const RANGE: [i32; 2];
    }

    impl Byte for i8 {
        const RANGE: [i32; 2] = [-128, 127];
    }

    impl Byte for u8 {
        const RANGE: [i32; 2] = [0, 255];
    }

    /// An integer of 32 bits.
    pub trait Sum {}

    impl Sum for i32 {}
    impl Sum for u32 {}
}
