//! The types of elements and keys.

use super::super::operation::types::ElementType;
use crate::element::Element;

/// Elements of scans: `u32`, `i32` and `f32`, arrays of two or four of them as vectors, and, where the device has them,
/// `f16` (combined as `f32`, and rounded when stored), `u64`, `i64` and `f64`.
pub trait ScanElement: Element + sealed::Scanned {}

impl<T: Element + sealed::Scanned> ScanElement for T {}

/// Keys of scans: `u32`, `i32`, `f32`, and, where the device has them, `f16`, `u64`, `i64` and `f64`.
pub trait ScanKey: Element + sealed::Key {}

impl<T: Element + sealed::Key> ScanKey for T {}

mod sealed {
    pub trait Scanned {}
    pub trait Key {}

    macro_rules! numbers {
        ($trait:ident: $($number:ty),*) => {
            $(impl $trait for $number {})*
        };
    }

    numbers! { Scanned: u32, i32, f32, half::f16, u64, i64, f64 }
    numbers! { Scanned: [u32; 2], [i32; 2], [f32; 2], [u32; 4], [i32; 4], [f32; 4] }
    numbers! { Key: u32, i32, f32, half::f16, u64, i64, f64 }
}

/// Returns the WGSL type of elements of type `T`.
pub(crate) fn element<T: ScanElement>() -> ElementType {
    ElementType::of(&T::layout()).expect("all elements of scans are scalars, or vectors of two or four")
}
