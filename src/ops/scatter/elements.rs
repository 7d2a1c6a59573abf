//! The elements that a scatter combines, and the operations.

use super::super::scan::Scan;
use super::super::scanning::kernel::shared_file;
use crate::element::Element;

/// Element types that a scatter combines: integers of 8 to 64 bits, `f16`, `bf16`, `f32`, and `f64`, whose sums and
/// products need a device with `f64`.
pub trait ScatterElement: Element + sealed::Number {}

impl<T: Element + sealed::Number> ScatterElement for T {}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The constant of `combine.wgsl` for the type: `UNSIGNED`, `SIGNED` or `FLOAT`.
    pub(super) number: u32,
    pub(super) bits: u32,
    /// Whether a float of 16 bits is `bf16`.
    pub(super) bf16: bool,
}

/// The numbers by which `combine.wgsl` distinguishes types.
const UNSIGNED: u32 = 0;
const SIGNED: u32 = 1;
const FLOAT: u32 = 2;

pub(super) mod sealed {
    use half::{bf16, f16};

    use super::{FLOAT, Kind, SIGNED, UNSIGNED};

    pub trait Number {
        const KIND: Kind;
    }

    macro_rules! numbers {
        ($($rust:ty: $number:ident, $bf16:literal;)*) => {$(
            impl Number for $rust {
                const KIND: Kind = Kind { number: $number, bits: 8 * size_of::<$rust>() as u32, bf16: $bf16 };
            }
        )*};
    }

    numbers! {
        u8: UNSIGNED, false; u16: UNSIGNED, false; u32: UNSIGNED, false; u64: UNSIGNED, false;
        i8: SIGNED, false; i16: SIGNED, false; i32: SIGNED, false; i64: SIGNED, false;
        f16: FLOAT, false; bf16: FLOAT, true; f32: FLOAT, false; f64: FLOAT, false;
    }
}

/// The operation that combines an element of y with an element of x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Multiply,
    Min,
    Max,
}

impl Operation {
    /// Returns the number by which `combine.wgsl` identifies the operation.
    pub(super) fn number(self) -> u32 {
        self as u32
    }

    /// Returns the number by which `scatter_combined.wgsl` identifies an atomic operation of WGSL; 0 if WGSL has none.
    pub(super) fn atomic(self, kind: Kind) -> u32 {
        match (self, kind.number, kind.bits) {
            (Self::Add, UNSIGNED | SIGNED, 32) => 1,
            (Self::Max, UNSIGNED, 32) => 2,
            (Self::Min, UNSIGNED, 32) => 3,
            _ => 0,
        }
    }

    /// Whether results depend on the order of the elements, as each step rounds.
    pub(super) fn rounds(self, kind: Kind) -> bool {
        kind.number == FLOAT && matches!(self, Self::Add | Self::Multiply)
    }

    /// Whether the kernel needs the type `f64`; for all other combinations of 64 bits, it uses only the bits of the
    /// elements.
    pub(super) fn is_double(self, kind: Kind) -> bool {
        kind.bits == 64 && self.rounds(kind)
    }

    /// Whether atomic operations of 32 bits can combine elements in any order. Sums of 64-bit integers carry from the
    /// lower word to the upper word.
    pub(super) fn is_atomic(self, kind: Kind) -> bool {
        kind.bits <= 32 || (self == Self::Add && kind.number != FLOAT)
    }

    /// Returns the scan that combines the elements of each position in order, as numbers of 32 bits, `f64`, or pairs of
    /// words.
    pub(super) fn scan<'s>(self, kind: Kind) -> Scan<'s> {
        if kind.bits == 64 && !self.is_double(kind) {
            let identity = match (self, kind.number) {
                (Self::Add, _) | (Self::Max, UNSIGNED) => "vec2(0u, 0u)",
                (Self::Multiply, _) => "vec2(1u, 0u)",
                (Self::Min, UNSIGNED) => "vec2(0xffffffffu, 0xffffffffu)",
                (Self::Min, SIGNED) => "vec2(0xffffffffu, 0x7fffffffu)",
                (Self::Max, SIGNED) => "vec2(0u, 0x80000000u)",
                // The bits of infinities.
                (Self::Min, _) => "vec2(0u, 0x7ff00000u)",
                (Self::Max, _) => "vec2(0u, 0xfff00000u)",
            };
            let combine = format!("combined_longs(a, b, {}u, {}u)", kind.number, self.number());
            return Scan::new(&combine, identity).preamble(shared_file!("longs"));
        }
        match self {
            Self::Add => Scan::sum(),
            Self::Multiply => Scan::product(),
            Self::Min => Scan::min(),
            Self::Max => Scan::max(),
        }
    }
}
