//! The types of numbers that can be converted.

use half::{bf16, f16};

use crate::element::Element;

/// Types of numbers that can be converted: integers of 8 to 64 bits, and floats of 16 to 64 bits.
pub trait CastElement: Element + sealed::Number {}

impl<T: Element + sealed::Number> CastElement for T {}

/// The layout of a number's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub(super) bits: u32,
    pub(super) signed: bool,
    /// The bits of the fraction of a float; 0 for an integer.
    pub(super) fraction: u32,
}

pub(super) mod sealed {
    use super::Format;

    pub trait Number {
        const FORMAT: Format;
    }
}

macro_rules! numbers {
    ($($rust:ty, $signed:literal, $fraction:literal;)*) => {$(
        impl sealed::Number for $rust {
            const FORMAT: Format =
                Format { bits: size_of::<$rust>() as u32 * 8, signed: $signed, fraction: $fraction };
        }
    )*};
}

numbers! {
    u8, false, 0; u16, false, 0; u32, false, 0; u64, false, 0;
    i8, true, 0; i16, true, 0; i32, true, 0; i64, true, 0;
    f16, true, 10; bf16, true, 7; f32, true, 23; f64, true, 52;
}
