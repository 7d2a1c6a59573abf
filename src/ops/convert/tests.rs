//! Tests of all pairs of types, against Rust's `as` for integers and the reference for floats.

use half::{bf16, f16};

use super::reference::nearest;
use super::{CastElement, cast};
use crate::Device;

/// A number as a 128-bit integer or an `f64`: together they represent every number of every type that can be converted.
#[derive(Clone, Copy, Debug)]
enum Wide {
    Integer(i128),
    Float(f64),
}

trait Number: CastElement + std::fmt::Debug {
    fn wide(self) -> Wide;
    fn of(wide: Wide) -> Self;
    fn samples() -> Vec<Self>;
    fn same(self, other: Self) -> bool;
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl Number for $rust {
            fn wide(self) -> Wide {
                Wide::Integer(self as i128)
            }

            fn of(wide: Wide) -> Self {
                match wide {
                    Wide::Integer(number) => number as $rust,
                    Wide::Float(number) => number as $rust,
                }
            }

            fn samples() -> Vec<Self> {
                let mut all: Vec<Self> = (0..300i128).map(|at| (at - 150) as $rust).collect();
                for bit in 0..128 {
                    for near in [-3i128, -1, 0, 1, 2, 77] {
                        all.push(((1i128 << (bit % 127)) + near) as $rust);
                        all.push((-(1i128 << (bit % 127)) + near) as $rust);
                        all.push((0x9e37_79b9_7f4a_7c15_85eb_ca6b_c2b2_ae35_u128 >> bit) as $rust);
                    }
                }
                all
            }

            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}

integers! { u8, u16, u32, u64, i8, i16, i32, i64 }

macro_rules! floats {
    ($($rust:ty, $bits:ty, $format:expr, $from:expr, $to:expr;)*) => {$(
        impl Number for $rust {
            fn wide(self) -> Wide {
                let to: fn($rust) -> f64 = $to;
                Wide::Float(to(self))
            }

            fn of(wide: Wide) -> Self {
                let [fraction, exponents]: [u32; 2] = $format;
                let all = |exponent: u64, rest: u64| <$rust>::from_bits(((exponent << fraction) | rest) as $bits);
                let (negative, magnitude, exponent) = match wide {
                    Wide::Integer(number) => (number < 0, number.unsigned_abs() as u64, 0),
                    Wide::Float(number) if number.is_nan() => {
                        return all((1 << exponents) - 1, 1 << (fraction - 1));
                    }
                    Wide::Float(number) if number.is_infinite() => {
                        let sign = u64::from(number < 0.0) << exponents;
                        return all(sign | ((1 << exponents) - 1), 0);
                    }
                    Wide::Float(number) => {
                        let bits = number.to_bits();
                        let (field, rest) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
                        let magnitude = if field == 0 { rest } else { rest | 1 << 52 };
                        (number.is_sign_negative(), magnitude, field.max(1) as i32 - 1075)
                    }
                };
                <$rust>::from_bits(nearest(negative, magnitude, exponent, [fraction, exponents]) as $bits)
            }

            fn samples() -> Vec<Self> {
                let mut all: Vec<Self> = Vec::new();
                let [fraction, exponents]: [u32; 2] = $format;
                for exponent in 0..1u64 << (exponents + 1) {
                    for rest in [0, 1, 2, 3, 0x5555_5555_5555, 1 << (fraction - 1), (1 << fraction) - 1] {
                        let bits = (exponent << fraction) | (rest & ((1u64 << fraction) - 1));
                        all.push(<$rust>::from_bits(bits as $bits));
                    }
                }
                // Numbers halfway between two floats of the shorter formats or two integers, and their neighbours.
                for number in [0.5, 1.5, 2.5, 255.5, 256.0, 65_519.99, 65_520.0, 65_504.0, -0.75, -128.5, 1e9 + 0.5, 3e38] {
                    let from: fn(f64) -> $rust = $from;
                    all.extend([from(number), from(number.next_up()), from(number.next_down())]);
                }
                all
            }

            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }
    )*};
}

floats! {
    f16, u16, [10, 5], f16::from_f64, f16::to_f64;
    bf16, u16, [7, 8], bf16::from_f64, bf16::to_f64;
    f32, u32, [23, 8], |number| number as f32, f64::from;
    f64, u64, [52, 11], |number| number, |number| number;
}

fn pair<T: Number, U: Number>(device: &Device) {
    let samples = T::samples();
    let x = device.buffer_from(&samples).unwrap();
    for (begin, before) in [(0, 0), (3, 1)] {
        let count = samples.len() - begin;
        let mut y = device.buffer_from(&vec![U::of(Wide::Integer(5)); before + count + 3]).unwrap();
        cast(x.slice(begin..), y.slice_mut(before..before + count)).unwrap();
        let y = y.read().unwrap();
        for (from, got) in samples[begin..].iter().zip(&y[before..]) {
            let wanted = U::of(from.wide());
            let types = (std::any::type_name::<T>(), std::any::type_name::<U>());
            assert!(got.same(wanted), "{from:?}: {got:?} in place of {wanted:?}, {types:?}");
        }
        let mut around = y[..before].iter().chain(&y[before + count..]);
        assert!(around.all(|other| other.same(U::of(Wide::Integer(5)))), "around the array");
    }
}

fn from<T: Number>() {
    let device = Device::open("cpu").unwrap();
    pair::<T, u8>(&device);
    pair::<T, u16>(&device);
    pair::<T, u32>(&device);
    pair::<T, u64>(&device);
    pair::<T, i8>(&device);
    pair::<T, i16>(&device);
    pair::<T, i32>(&device);
    pair::<T, i64>(&device);
    pair::<T, f16>(&device);
    pair::<T, bf16>(&device);
    pair::<T, f32>(&device);
    pair::<T, f64>(&device);
}

#[test]
fn integers_become_all_types() {
    from::<u8>();
    from::<u16>();
    from::<u32>();
    from::<u64>();
    from::<i8>();
    from::<i16>();
    from::<i32>();
    from::<i64>();
}

#[test]
fn floats_become_all_types() {
    from::<f16>();
    from::<bf16>();
    from::<f32>();
    from::<f64>();
}

/// Compares the reference with Rust's `as`, for the conversions that Rust has.
#[test]
fn the_reference_rounds_as_rust() {
    for number in f64::samples() {
        assert!(f32::of(Wide::Float(number)).same(number as f32), "{number:e}");
        assert!(f64::of(Wide::Float(number)).same(number), "{number:e}");
    }
    for number in u64::samples() {
        assert!(f32::of(Wide::Integer(number.into())).same(number as f32), "{number}");
        assert!(f64::of(Wide::Integer(number.into())).same(number as f64), "{number}");
    }
}
