//! Tests of component-wise functions of floats.

use naga::{BinaryOperator as Bo, MathFunction as Mf, Scalar};

use super::eval::round_f16;
use super::{F64, binary, floats, input, math, math_f32};

const TINY: f32 = f32::from_bits(1);
const EDGES: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.5,
    1e-3,
    -7.75,
    1e10,
    f32::MAX,
    f32::MIN,
    TINY,
    -TINY,
    f32::MIN_POSITIVE,
    1e-40,
];

fn same(x: f32, y: f32) -> bool {
    x == y || (x.is_nan() && y.is_nan())
}

fn one(fun: Mf, x: f32) -> f32 {
    math_f32(fun, &[floats(Scalar::F32, &[x])])[0]
}

#[test]
fn functions_of_one_operand() {
    for x in EDGES {
        let expected = [
            (Mf::Abs, x.abs()),
            (Mf::Ceil, x.ceil()),
            (Mf::Floor, x.floor()),
            (Mf::Trunc, x.trunc()),
            (Mf::Round, x.round_ties_even()),
            (Mf::Fract, x - x.floor()),
            (Mf::Sign, if x == 0.0 { 0.0 } else { x.signum() }),
            (Mf::Saturate, x.clamp(0.0, 1.0)),
            (Mf::Sqrt, x.sqrt()),
            (Mf::InverseSqrt, 1.0 / x.sqrt()),
            (Mf::QuantizeToF16, round_f16(x)),
            (Mf::Degrees, x * 57.295_78),
            (Mf::Radians, x * 0.017_453_292),
        ];
        for (fun, expected) in expected {
            assert!(same(one(fun, x), expected), "{fun:?} of {x:e}: {} for {expected}", one(fun, x));
        }
    }
    assert!((one(Mf::Exp, 1.0) - std::f32::consts::E).abs() < 1e-6);
}

#[test]
fn functions_of_more_operands() {
    let call = |fun, args: &[f32]| {
        let args: Vec<_> = args.iter().map(|x| floats(Scalar::F32, &[*x])).collect();
        math_f32(fun, &args)[0]
    };
    for (x, y) in EDGES.into_iter().flat_map(|x| EDGES.map(|y| (x, y))) {
        assert_eq!(call(Mf::Step, &[x, y]), if x <= y { 1.0 } else { 0.0 });
        assert_eq!(call(Mf::Clamp, &[x, -1.0, y]), x.max(-1.0).min(y));
        let remainder =
            f32::from_bits(binary(Bo::Modulo, &floats(Scalar::F32, &[x]), &floats(Scalar::F32, &[y]))[0] as u32);
        assert!(same(remainder, x - y * (x / y).trunc()), "{x} % {y}");
        assert!(same(call(Mf::Mix, &[x, y, 0.25]), x * 0.75 + y * 0.25));
        assert!(same(call(Mf::Fma, &[x, y, 2.0]), x.mul_add(y, 2.0)));
    }
    let step = |low, high, x| call(Mf::SmoothStep, &[low, high, x]);
    assert_eq!([step(0.0, 4.0, 1.0), step(0.0, 4.0, -1.0), step(0.0, 4.0, 5.0)], [0.15625, 0.0, 1.0]);
    assert_eq!([step(4.0, 0.0, 1.0), step(4.0, 0.0, 5.0)], [0.84375, 0.0]);
}

#[test]
fn halves_are_rounded() {
    let half = |x: f32| floats(Scalar::F16, &[round_f16(x)]);
    let numbers = [0.0, 1.0, -1.0, 0.1, 2.0e-5, 6.0e-8, -6.0e-8, 1000.0, 65504.0, 3.7, 1e-3];
    for (x, y) in numbers.into_iter().flat_map(|x| numbers.map(|y| (x, y))) {
        let (u, v) = (f64::from(round_f16(x)), f64::from(round_f16(y)));
        for (op, expected) in [(Bo::Add, u + v), (Bo::Subtract, u - v), (Bo::Multiply, u * v), (Bo::Divide, u / v)] {
            let value = f32::from_bits(binary(op, &half(x), &half(y))[0] as u32);
            // The result in f32 is exact or far from any tie, so rounding twice changes nothing.
            assert!(same(value, round_f16(expected as f32)), "{u} {op:?} {v}: {value}");
        }
        let power = math_f32(Mf::Pow, &[half(x), half(y)])[0];
        assert!(same(power, round_f16(power)));
    }
    assert_eq!(math_f32(Mf::Fract, &[half(-6.0e-8)]), [1.0]);
}

#[test]
fn modf_splits() {
    for x in EDGES {
        assert_eq!(math_f32(Mf::Modf, &[floats(Scalar::F32, &[x])]), [x - x.trunc(), x.trunc()]);
    }
    assert_eq!(math_f32(Mf::Modf, &[floats(Scalar::F32, &[-1.5, 2.25])]), [-0.5, 0.25, -1.0, 2.0]);
}

#[test]
fn frexp_is_exact() {
    let widened = EDGES.map(f64::from);
    for x in widened.into_iter().chain([f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), -1e-310]) {
        let parts = math(Mf::Frexp, &[input(F64, &[x.to_bits()])]);
        let (fraction, exponent) = (f64::from_bits(parts[0]), parts[1].cast_signed() as i32);
        check_frexp(x, fraction, exponent);
    }
    for x in EDGES {
        let parts = math(Mf::Frexp, &[floats(Scalar::F32, &[x])]);
        check_frexp(x.into(), f32::from_bits(parts[0] as u32).into(), (parts[1] as u32).cast_signed());
    }
    for x in [1.0, -0.75, 65504.0, 6.0e-8, 3.0e-5].map(round_f16) {
        let parts = math(Mf::Frexp, &[floats(Scalar::F16, &[x])]);
        check_frexp(x.into(), f32::from_bits(parts[0] as u32).into(), (parts[1] as u32).cast_signed());
    }
    let infinite = math(Mf::Frexp, &[floats(Scalar::F32, &[f32::INFINITY])]);
    assert_eq!(infinite, [u64::from(f32::INFINITY.to_bits()), 0]);
}

fn check_frexp(x: f64, fraction: f64, exponent: i32) {
    assert!(x == 0.0 || (0.5..1.0).contains(&fraction.abs()), "{x:e} is {fraction} * 2^{exponent}");
    assert!(x != 0.0 || (fraction == 0.0 && exponent == 0));
    let half = exponent / 2;
    let value = fraction * f64::from(half).exp2() * f64::from(exponent - half).exp2();
    assert_eq!(value, x, "{fraction} * 2^{exponent}");
}

#[test]
fn ldexp_rounds_once() {
    let powers = [0, 1, -1, 10, -24, -50, -126, -127, -149, -150, -200, 127, 128, 200, 277, 300, i32::MAX, i32::MIN];
    let odd = f32::from_bits(0x3fff_ffff);
    for (x, power) in EDGES.into_iter().chain([odd, 1.0e-38 * odd, f32::INFINITY]).flat_map(|x| powers.map(|p| (x, p)))
    {
        let exponent = input(Scalar::I32, &[u64::from(power.cast_unsigned())]);
        let expected = (f64::from(x) * f64::from(power.clamp(-400, 400)).exp2()) as f32;
        let value = math_f32(Mf::Ldexp, &[floats(Scalar::F32, &[x]), exponent.clone()])[0];
        assert!(value.to_bits() == expected.to_bits(), "{x:e} * 2^{power}: {value:e} for {expected:e}");
        let x = round_f16(x);
        let value = math_f32(Mf::Ldexp, &[floats(Scalar::F16, &[x]), exponent])[0];
        let expected = round_f16((f64::from(x) * f64::from(power.clamp(-60, 60)).exp2()) as f32);
        assert!(same(value, expected), "{x:e} * 2^{power}: {value:e} for {expected:e}");
    }
    for (x, power, expected) in [
        (1.5, -1074, f64::from_bits(2)),
        (1.5, -1075, f64::from_bits(1)),
        (1.0, -1075, 0.0),
        (1.0 + f64::EPSILON, -1075, f64::from_bits(1)),
        (f64::MAX, -2098, f64::from_bits(1)),
        (f64::MAX, -2099, 0.0),
        (f64::from_bits(1), 2097, 2_f64.powi(1023)),
        (f64::from_bits(1), 2098, f64::INFINITY),
        (1.0, i32::MIN, 0.0),
        (-1.0, i32::MAX, f64::NEG_INFINITY),
        (3.0, -1022, 3.0 * f64::MIN_POSITIVE),
    ] {
        let exponent = input(Scalar::I32, &[u64::from(i32::cast_unsigned(power))]);
        let value = f64::from_bits(math(Mf::Ldexp, &[input(F64, &[f64::to_bits(x)]), exponent])[0]);
        assert_eq!(value, expected, "{x:e} * 2^{power}");
    }
}
