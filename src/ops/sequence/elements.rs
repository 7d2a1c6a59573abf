//! The numbers of sequences.

use crate::element::Element;

/// Numbers of sequences: integers of 8 to 64 bits, and `f32`.
pub trait SequenceElement: Element + sealed::Number {}

impl<T: Element + sealed::Number> SequenceElement for T {}

pub(super) mod sealed {
    /// A sequence as the kernel takes it.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Parts {
        pub(in super::super) start: u64,
        pub(in super::super) step: u64,
        pub(in super::super) last: Option<u64>,
    }

    pub trait Number: Sized {
        const IS_FLOAT: bool;

        /// The bits; those of a signed integer in 64 bits.
        fn bits64(self) -> u64;

        /// The distance of `count` numbers from `start` to `stop`.
        fn distance(start: Self, stop: Self, count: usize) -> Self;
    }

    macro_rules! integers {
        ($($integer:ty),*) => {$(
            impl Number for $integer {
                const IS_FLOAT: bool = false;

                fn bits64(self) -> u64 {
                    self as u64
                }

                fn distance(start: Self, _: Self, _: usize) -> Self {
                    start
                }
            }
        )*};
    }

    integers! { u8, u16, u32, u64, i8, i16, i32, i64 }

    impl Number for f32 {
        const IS_FLOAT: bool = true;

        fn bits64(self) -> u64 {
            self.to_bits().into()
        }

        fn distance(start: f32, stop: f32, count: usize) -> f32 {
            let steps = count.saturating_sub(1).max(1) as f64;
            ((f64::from(stop) - f64::from(start)) / steps) as f32
        }
    }
}
