//! Compares the f32 functions with the standard library's f64 functions, over their whole domains.

use super::super::table::{LaneFunction, Version};
use anywarp_testing::random::Random;

use super::{call, versions};

/// The largest allowed error, in ulp of the exact result: the bound that the functions document.
const BOUND: f64 = 0.502;

/// The distance between tested bit patterns: 8 million samples of each function, fewer in an unoptimised build.
const STRIDE: u64 = if cfg!(debug_assertions) { 65_537 } else { 521 };
const PAIRS: u64 = if cfg!(debug_assertions) { 1 << 16 } else { 1 << 22 };

/// The error of `got` in ulp: in units of the spacing of f32 values at the exact value, which is at least 2^-149.
fn error_in_ulp(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got == rounded || (got.is_nan() && rounded.is_nan()) {
        // The ulp is not defined if both results overflow, so this case is exact; other errors are computed below.
        if !rounded.is_finite() {
            return 0.0;
        }
    } else if !got.is_finite() || !rounded.is_finite() {
        return f64::INFINITY;
    }
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let ulp = 2f64.powi((exponent - 23).max(-149));
    (f64::from(got) - exact).abs() / ulp
}

/// The largest error of a version over the samples so far, and its position.
struct Worst {
    version: Version,
    error: f64,
    at: (f32, f32),
}

/// Runs eight samples through every version of a function, and updates the worst errors.
fn judge(function: LaneFunction, a: [f32; 8], b: [f32; 8], exact: [f64; 8], worst: &mut [Worst]) {
    for worst in worst {
        let got = call(function, worst.version, a, b);
        for lane in 0..8 {
            let error = error_in_ulp(got[lane], exact[lane]);
            if error > worst.error {
                worst.error = error;
                worst.at = (a[lane], b[lane]);
            }
        }
    }
}

fn start() -> Vec<Worst> {
    versions().into_iter().map(|version| Worst { version, error: 0.0, at: (0.0, 0.0) }).collect()
}

fn report(function: LaneFunction, worst: &[Worst]) {
    for Worst { version, error, at } in worst {
        println!("{} {version:?}: {error:.5} ulp at {at:?}", function.name());
        assert!(*error <= BOUND, "{} {version:?}: {error} ulp at {at:?}", function.name());
    }
}

fn check_unary(function: LaneFunction, reference: fn(f64) -> f64) {
    let mut worst = start();
    let mut bits = 0u64;
    while bits <= u64::from(u32::MAX) {
        let a: [f32; 8] = std::array::from_fn(|lane| f32::from_bits((bits + lane as u64 * STRIDE) as u32));
        judge(function, a, [0.0; 8], a.map(|a| reference(f64::from(a))), &mut worst);
        bits += 8 * STRIDE;
    }
    report(function, &worst);
}

fn check_binary(function: LaneFunction, reference: fn(f64, f64) -> f64, sample: fn(u64) -> (f32, f32)) {
    let mut worst = start();
    let mut random = Random::from_state(1);
    for _ in 0..PAIRS / 8 {
        let pairs: [(f32, f32); 8] = std::array::from_fn(|_| sample(random.bits()));
        let exact = pairs.map(|(a, b)| reference(f64::from(a), f64::from(b)));
        judge(function, pairs.map(|pair| pair.0), pairs.map(|pair| pair.1), exact, &mut worst);
    }
    report(function, &worst);
}

fn check_near_multiples(function: LaneFunction, reference: fn(f64) -> f64) {
    let mut worst = start();
    for k in (1..670_000u32).step_by(if cfg!(debug_assertions) { 101 } else { 1 }) {
        let nearest = (f64::from(k) * std::f64::consts::FRAC_PI_2) as f32;
        let a = std::array::from_fn(|lane| f32::from_bits(nearest.to_bits() - 4 + lane as u32));
        judge(function, a, [0.0; 8], a.map(|a| reference(f64::from(a))), &mut worst);
    }
    report(function, &worst);
}

#[test]
fn exponentials_and_logarithms() {
    check_unary(LaneFunction::Exp, f64::exp);
    check_unary(LaneFunction::Exp2, f64::exp2);
    check_unary(LaneFunction::Log, f64::ln);
    check_unary(LaneFunction::Log2, f64::log2);
}

#[test]
fn trigonometric() {
    check_unary(LaneFunction::Sin, f64::sin);
    check_unary(LaneFunction::Cos, f64::cos);
    check_unary(LaneFunction::Tan, f64::tan);
}

/// Tests arguments next to every multiple of pi/2 in the range of the fast reduction, which loses most digits there.
#[test]
fn trigonometric_near_multiples_of_half_pi() {
    check_near_multiples(LaneFunction::Sin, f64::sin);
    check_near_multiples(LaneFunction::Cos, f64::cos);
    check_near_multiples(LaneFunction::Tan, f64::tan);
}

#[test]
fn inverse_trigonometric() {
    check_unary(LaneFunction::Asin, f64::asin);
    check_unary(LaneFunction::Acos, f64::acos);
    check_unary(LaneFunction::Atan, f64::atan);
    // The first check has arguments of all magnitudes, the second has ratios near one.
    check_binary(LaneFunction::Atan2, f64::atan2, |bits| {
        (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32))
    });
    check_binary(LaneFunction::Atan2, f64::atan2, |bits| (bits as i16 as f32, (bits >> 32) as i16 as f32));
}

#[test]
fn hyperbolic() {
    check_unary(LaneFunction::Sinh, f64::sinh);
    check_unary(LaneFunction::Cosh, f64::cosh);
    check_unary(LaneFunction::Tanh, f64::tanh);
    check_unary(LaneFunction::Asinh, f64::asinh);
    check_unary(LaneFunction::Acosh, f64::acosh);
    check_unary(LaneFunction::Atanh, f64::atanh);
}

#[test]
fn powers() {
    // The checks have positive bases of all magnitudes with exponents up to 4, bases near one with exponents up
    // to 2^20, and any bit patterns of positive bases and of exponents.
    check_binary(LaneFunction::Pow, f64::powf, |bits| {
        (f32::from_bits(bits as u32 >> 1), ((bits >> 40) as f32 / 8_388_608.0 - 1.0) * 4.0)
    });
    check_binary(LaneFunction::Pow, f64::powf, |bits| {
        (0.5 + (bits as u32 >> 8) as f32 / 16_777_216.0, ((bits >> 40) as f32 / 8_388_608.0 - 1.0) * 1_048_576.0)
    });
    check_binary(LaneFunction::Pow, f64::powf, |bits| {
        (f32::from_bits(bits as u32 & 0x7fff_ffff), f32::from_bits((bits >> 32) as u32))
    });
    // The last check has negative bases with integral exponents up to 64.
    check_binary(LaneFunction::Pow, f64::powf, |bits| {
        (-0.25 - (bits as u32 >> 8) as f32 / 4_194_304.0, ((bits >> 57) as f32) - 64.0)
    });
}
