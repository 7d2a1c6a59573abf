//! Tests of limits, signed zeros, infinities, NaN and symmetries.

use super::super::table::{LaneFunction as F, eval_f32};
use super::{call, versions};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const MAX: f32 = f32::MAX;
/// The smallest positive subnormal number.
const TINY: f32 = f32::from_bits(1);
const THREE_QUARTERS_PI: f32 = 2.356_194_5;

/// The function, its two arguments and its result. Results are compared bit by bit, except that any NaN equals NaN.
const CASES: &[(F, f32, f32, f32)] = &[
    (F::Exp, 0.0, 0.0, 1.0),
    (F::Exp, -INF, 0.0, 0.0),
    (F::Exp, INF, 0.0, INF),
    (F::Exp, 89.0, 0.0, INF),
    (F::Exp, -104.0, 0.0, 0.0),
    (F::Exp, -103.0, 0.0, TINY),
    (F::Exp2, 127.0, 0.0, 1.701_411_8e38),
    (F::Exp2, 128.0, 0.0, INF),
    (F::Exp2, -149.0, 0.0, TINY),
    (F::Exp2, -151.0, 0.0, 0.0),
    (F::Exp2, -3.0, 0.0, 0.125),
    (F::Log, 1.0, 0.0, 0.0),
    (F::Log, 0.0, 0.0, -INF),
    (F::Log, -0.0, 0.0, -INF),
    (F::Log, -1.0, 0.0, NAN),
    (F::Log, -TINY, 0.0, NAN),
    (F::Log, INF, 0.0, INF),
    (F::Log, -INF, 0.0, NAN),
    (F::Log2, 8.0, 0.0, 3.0),
    (F::Log2, TINY, 0.0, -149.0),
    (F::Log2, 0.0, 0.0, -INF),
    (F::Log2, INF, 0.0, INF),
    (F::Pow, 3.0, 2.0, 9.0),
    (F::Pow, 2.0, -149.0, TINY),
    (F::Pow, 10.0, 10.0, 1e10),
    (F::Pow, 10.0, 39.0, INF),
    (F::Pow, 0.0, 2.0, 0.0),
    (F::Pow, -0.0, 0.5, 0.0),
    (F::Pow, 0.0, -2.0, INF),
    (F::Pow, 0.0, 0.0, 1.0),
    (F::Pow, NAN, 0.0, 1.0),
    (F::Pow, -2.0, -0.0, 1.0),
    (F::Pow, -2.0, 2.0, 4.0),
    (F::Pow, -2.0, 3.0, -8.0),
    (F::Pow, -2.0, -1.0, -0.5),
    (F::Pow, -2.0, 0.5, NAN),
    (F::Pow, -1.0, 16_777_216.0, 1.0),
    (F::Pow, -1.0, 16_777_215.0, -1.0),
    (F::Pow, -1.0, -0.25, NAN),
    (F::Pow, -1.0, INF, 1.0),
    (F::Pow, -INF, 3.0, -INF),
    (F::Pow, -2.0, NAN, NAN),
    (F::Pow, 1.0, INF, 1.0),
    (F::Pow, INF, 2.0, INF),
    (F::Pow, INF, -2.0, 0.0),
    (F::Pow, 2.0, INF, INF),
    (F::Pow, 2.0, -INF, 0.0),
    (F::Pow, 0.5, INF, 0.0),
    (F::Pow, 2.0, NAN, NAN),
    (F::Sin, 0.0, 0.0, 0.0),
    (F::Sin, -0.0, 0.0, -0.0),
    (F::Sin, TINY, 0.0, TINY),
    (F::Sin, INF, 0.0, NAN),
    (F::Cos, 0.0, 0.0, 1.0),
    (F::Cos, -TINY, 0.0, 1.0),
    (F::Cos, -INF, 0.0, NAN),
    (F::Tan, -0.0, 0.0, -0.0),
    (F::Tan, TINY, 0.0, TINY),
    (F::Tan, INF, 0.0, NAN),
    (F::Asin, -0.0, 0.0, -0.0),
    (F::Asin, 1.0, 0.0, FRAC_PI_2),
    (F::Asin, -1.0, 0.0, -FRAC_PI_2),
    (F::Asin, 1.000_000_1, 0.0, NAN),
    (F::Asin, -INF, 0.0, NAN),
    (F::Acos, 1.0, 0.0, 0.0),
    (F::Acos, -1.0, 0.0, PI),
    (F::Acos, 0.0, 0.0, FRAC_PI_2),
    (F::Acos, -1.000_000_1, 0.0, NAN),
    (F::Atan, -0.0, 0.0, -0.0),
    (F::Atan, INF, 0.0, FRAC_PI_2),
    (F::Atan, -INF, 0.0, -FRAC_PI_2),
    (F::Atan, 1.0, 0.0, FRAC_PI_4),
    (F::Atan2, 0.0, 0.0, 0.0),
    (F::Atan2, -0.0, 0.0, -0.0),
    (F::Atan2, 0.0, -0.0, PI),
    (F::Atan2, -0.0, -0.0, -PI),
    (F::Atan2, 0.0, -1.0, PI),
    (F::Atan2, -0.0, -1.0, -PI),
    (F::Atan2, 0.0, 1.0, 0.0),
    (F::Atan2, 1.0, 0.0, FRAC_PI_2),
    (F::Atan2, -1.0, -0.0, -FRAC_PI_2),
    (F::Atan2, INF, INF, FRAC_PI_4),
    (F::Atan2, -INF, INF, -FRAC_PI_4),
    (F::Atan2, INF, -INF, THREE_QUARTERS_PI),
    (F::Atan2, 1.0, INF, 0.0),
    (F::Atan2, -1.0, -INF, -PI),
    (F::Atan2, INF, 1.0, FRAC_PI_2),
    (F::Atan2, NAN, 0.0, NAN),
    (F::Atan2, 0.0, NAN, NAN),
    (F::Atan2, INF, NAN, NAN),
    (F::Sinh, -0.0, 0.0, -0.0),
    (F::Sinh, TINY, 0.0, TINY),
    (F::Sinh, INF, 0.0, INF),
    (F::Sinh, -INF, 0.0, -INF),
    (F::Cosh, 0.0, 0.0, 1.0),
    (F::Cosh, -INF, 0.0, INF),
    (F::Tanh, -0.0, 0.0, -0.0),
    (F::Tanh, -TINY, 0.0, -TINY),
    (F::Tanh, INF, 0.0, 1.0),
    (F::Tanh, -MAX, 0.0, -1.0),
    (F::Asinh, -0.0, 0.0, -0.0),
    (F::Asinh, TINY, 0.0, TINY),
    (F::Asinh, INF, 0.0, INF),
    (F::Asinh, -INF, 0.0, -INF),
    (F::Acosh, 1.0, 0.0, 0.0),
    (F::Acosh, 0.999_999_9, 0.0, NAN),
    (F::Acosh, -MAX, 0.0, NAN),
    (F::Acosh, -INF, 0.0, NAN),
    (F::Acosh, INF, 0.0, INF),
    (F::Atanh, -0.0, 0.0, -0.0),
    (F::Atanh, 1.0, 0.0, INF),
    (F::Atanh, -1.0, 0.0, -INF),
    (F::Atanh, 1.000_000_1, 0.0, NAN),
    (F::Atanh, INF, 0.0, NAN),
];

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn limits() {
    for version in versions() {
        for &(function, a, b, expected) in CASES {
            // The case is in one lane among ordinary lanes, to show that it does not affect their results.
            let (mut a_lanes, mut b_lanes) = ([0.75; 8], [0.25; 8]);
            let ordinary = call(function, version, a_lanes, b_lanes)[0];
            (a_lanes[5], b_lanes[5]) = (a, b);
            let got = call(function, version, a_lanes, b_lanes);
            assert!(same(got[5], expected), "{function:?} {version:?} ({a:?}, {b:?}): {:?}, not {expected:?}", got[5]);
            assert!(same(got[0], ordinary) && same(got[7], ordinary), "{function:?} {version:?} next to {a:?}");
        }
    }
}

#[test]
fn nan_stays_nan() {
    for version in versions() {
        for &function in F::ALL {
            if function.element() == "f32" && function != F::FmaF32 {
                let got = call(function, version, [NAN; 8], [0.5; 8]);
                assert!(got.iter().all(|value| value.is_nan()), "{function:?} {version:?}");
            }
        }
    }
}

#[test]
fn odd_and_even_functions_are_symmetric() {
    let odd = [F::Sin, F::Tan, F::Asin, F::Atan, F::Sinh, F::Tanh, F::Asinh, F::Atanh];
    let even = [F::Cos, F::Cosh];
    for version in versions() {
        for bits in (0..f32::INFINITY.to_bits()).step_by(300_007) {
            let x = f32::from_bits(bits);
            let at = |function, x| call(function, version, [x; 8], [0.0; 8])[0];
            for function in odd {
                assert!(same(at(function, -x), -at(function, x)), "{function:?} {version:?} {x:?}");
            }
            for function in even {
                assert!(same(at(function, -x), at(function, x)), "{function:?} {version:?} {x:?}");
            }
        }
    }
}

#[test]
fn large_arguments_among_small_ones() {
    let a = [0.5, 1e6, 1_048_576.0, 1_048_577.0, 1e30, MAX, -1e7, INF];
    for version in versions() {
        let got = call(F::Sin, version, a, a);
        for lane in 0..7 {
            let exact = f64::from(a[lane]).sin() as f32;
            assert!((got[lane] - exact).abs() <= f32::EPSILON * exact.abs(), "sin({}) = {}", a[lane], got[lane]);
        }
        assert!(got[7].is_nan());
    }
}

#[test]
fn scalar_evaluation_agrees_with_lanes() {
    assert_eq!(eval_f32(F::Pow, 3.0, 4.0), 81.0);
    assert_eq!(eval_f32(F::Exp2, 10.0, NAN), 1024.0);
    assert!(eval_f32(F::DivI32, 1.0, 1.0).is_nan());
    assert!(eval_f32(F::FmaF32, 1.0, 1.0).is_nan());
}
