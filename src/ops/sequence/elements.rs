//! The element types of sequences.

use crate::element::Element;

/// Element types of sequences: integers of 8 to 64 bits, `f16`, `bf16`, `f32`, and, where the device has it, `f64`.
pub trait SequenceElement: Element + sealed::Number {}

impl<T: Element + sealed::Number> SequenceElement for T {}

/// Element types of a [`linspace`](super::linspace): `f16`, `bf16`, `f32`, and, where the device has it, `f64`.
pub trait SequenceFloat: SequenceElement + sealed::Float {}

impl<T: SequenceElement + sealed::Float> SequenceFloat for T {}

pub(super) mod sealed {
    use half::{bf16, f16};

    /// The parameters of a sequence as the kernel receives them: the bits of integers, of `f64`, or of `f32` for
    /// shorter floats.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Parts {
        pub(in super::super) start: u64,
        pub(in super::super) step: u64,
        /// The bits of the last element in the type of the elements.
        pub(in super::super) last: Option<u64>,
    }

    pub trait Number: Sized {
        const IS_FLOAT: bool;
        const IS_BF16: bool = false;

        /// Returns the bits that the kernel receives; a signed integer is extended to 64 bits.
        fn computed(self) -> u64;

        /// Returns the bits of an element in memory.
        fn stored(self) -> u64;

        /// Returns the distance between neighbours of `count` numbers from `start` to `stop`, as bits that the kernel
        /// receives.
        fn distance(start: Self, stop: Self, count: usize) -> u64;
    }

    pub trait Float {
        const ZERO: Self;
    }

    macro_rules! integers {
        ($($integer:ty),*) => {$(
            impl Number for $integer {
                const IS_FLOAT: bool = false;

                fn computed(self) -> u64 {
                    self as u64
                }

                fn stored(self) -> u64 {
                    self as u64
                }

                fn distance(_: Self, _: Self, _: usize) -> u64 {
                    0
                }
            }
        )*};
    }

    integers! { u8, u16, u32, u64, i8, i16, i32, i64 }

    /// Returns the distance between neighbours of `count` numbers from `start` to `stop`.
    fn distance(start: f64, stop: f64, count: usize) -> f64 {
        // If the difference of both numbers overflows, it is computed from their halves.
        let steps = count.saturating_sub(1).max(1) as f64;
        let whole = (stop - start) / steps;
        if whole.is_finite() { whole } else { (stop / 2.0 - start / 2.0) / steps * 2.0 }
    }

    macro_rules! floats {
        ($($float:ty, $computed:ty, $is_bf16:literal, $wide:expr, $zero:expr;)*) => {$(
            impl Number for $float {
                const IS_FLOAT: bool = true;
                const IS_BF16: bool = $is_bf16;

                fn computed(self) -> u64 {
                    let wide: fn($float) -> f64 = $wide;
                    <$computed>::to_bits(wide(self) as $computed).into()
                }

                fn stored(self) -> u64 {
                    self.to_bits().into()
                }

                fn distance(start: Self, stop: Self, count: usize) -> u64 {
                    let wide: fn($float) -> f64 = $wide;
                    <$computed>::to_bits(distance(wide(start), wide(stop), count) as $computed).into()
                }
            }

            impl Float for $float {
                const ZERO: Self = $zero;
            }
        )*};
    }

    floats! {
        f16, f32, false, f16::to_f64, f16::ZERO;
        bf16, f32, true, bf16::to_f64, bf16::ZERO;
        f32, f32, false, f64::from, 0.0;
        f64, f64, false, |number| number, 0.0;
    }
}
