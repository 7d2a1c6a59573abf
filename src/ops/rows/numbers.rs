//! Numbers, shapes and choices for tests of operators on rows.

use half::{bf16, f16};

use super::elements::FloatElement;
use super::plan::Choice;

pub(crate) const CHOICES: [Choice; 9] = [
    Choice::Held,
    Choice::Groups { parts: 1 },
    Choice::Groups { parts: 3 },
    Choice::Strips { parts: 1 },
    Choice::Strips { parts: 3 },
    Choice::Strips { parts: 100 },
    Choice::Lines { parts: 1 },
    Choice::Lines { parts: 3 },
    Choice::Lines { parts: 100 },
];

/// Shapes of arrays: the number of outer rows, the number of elements of a row, and the distance between these
/// elements.
pub(crate) const SHAPES: [[usize; 3]; 6] =
    [[2, 7, 1], [5, 64, 1], [2, 1000, 1], [1, 2051, 1], [1, 9000, 1], [3, 50, 6]];

/// Runs the caller's check `$check` for each combination of a device, a shape, a choice and an element type. The arrays
/// of an element type begin at the element `$skip` of their buffers.
macro_rules! check_every_choice {
    ($check:ident: $($float:ident from $skip:literal),*) => {
        for device in $crate::ops::every_device::devices() {
            for shape in $crate::ops::rows::numbers::SHAPES {
                for choice in $crate::ops::rows::numbers::CHOICES {
                    $($check::<$float>(&device, shape, choice, $skip);)*
                }
            }
        }
    };
}

pub(crate) use check_every_choice;

pub(crate) fn numbers(length: usize) -> Vec<f64> {
    (0..length as u32).map(|at| f64::from(at.wrapping_mul(2_654_435_761) >> 20) / 256.0 - 8.0).collect()
}

const F16_ROUNDING: f64 = 1.0 / 2048.0;
const BF16_ROUNDING: f64 = 1.0 / 256.0;
/// Half of the least positive `f16`: a tolerance for results of `f16` near 0, which is negligible for other types.
pub(crate) const HALF_OF_MIN_F16: f64 = 1.0 / (1u32 << 25) as f64;

/// An element type, and its relative rounding error.
pub(crate) trait Float: FloatElement {
    const ROUNDING: f64;
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
}

macro_rules! floats {
    ($($float:ty, $rounding:expr, $of:expr, $wide:expr;)*) => {$(
        impl Float for $float {
            const ROUNDING: f64 = $rounding;

            fn of(value: f64) -> Self {
                $of(value)
            }

            fn wide(self) -> f64 {
                $wide(self)
            }
        }
    )*};
}

floats! {
    f32, 0.0, |value| value as f32, f64::from;
    f16, F16_ROUNDING, f16::from_f64, f16::to_f64;
    bf16, BF16_ROUNDING, bf16::from_f64, bf16::to_f64;
}
