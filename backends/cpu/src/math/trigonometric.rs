//! Sine and cosine by half turns, x = pi (k + f) with an integer k (for the cosine k + 1/2) and
//! |f| <= 1/2; tangent by quarter turns, x = pi/2 (k + f).
//!
//! f is the remainder of x / pi, computed with the constant 1 / pi in two parts (as Payne and Hanek, Radian reduction
//! for trigonometric functions, 1983, but for a short k). The first part has 29 bits, so that its product with x is
//! exact, and so is the difference of that product from k. The second part extends the constant to 82 bits. f has an
//! error below 2^-62; the tests check that this is sufficient next to every multiple of pi/2 in the range, where f is
//! small. Arguments above [`FAST_LIMIT`] are passed one by one to the f64 functions of the standard library.
//! Error: below 0.502 ulp everywhere.

use super::lanes::{Lanes, map, nearest, polynomial};

/// The largest |x|, 2^20, for which the second part of the reciprocal is precise enough.
const FAST_LIMIT: f32 = 1_048_576.0;

/// The high part of 1 / pi. Doubling either part is exact.
const RECIPROCAL_PI_HIGH: f64 = 0.3183098854497075;
const RECIPROCAL_PI_LOW: f64 = 7.340831634506093e-10;

/// The coefficients of sin(pi f) / f in powers of f^2 for |f| <= 1/2; relative error below 2^-35.
const SIN_HALF_TURN: [f64; 6] = [
    3.141592653523355,
    -5.167712762116621,
    2.5501632403411123,
    -0.5992513303340883,
    0.08204647966242314,
    -0.0070221645056415625,
];

/// The coefficients of sin(pi/2 f) / f in powers of f^2 for |f| <= 1/2; relative error below 2^-37.
const SIN_QUARTER_TURN: [f64; 5] =
    [1.5707963267877518, -0.6459640961024296, 0.07969258184288322, -0.00468126062767645, 0.00015819507468476922];

/// The coefficients of cos(pi/2 f) in powers of f^2 for |f| <= 1/2; relative error below 2^-34.
const COS_QUARTER_TURN: [f64; 5] =
    [0.9999999999439586, -1.233700539565477, 0.25366918260215654, -0.02085993603877638, 0.0009033629582489666];

// The remainder f is computed without fused operations. With fused operations LLVM pairs unlike operations of different
// lanes and leaves some lanes scalar, which halves the speed.

/// sin(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn sin<const FUSED: bool>(x: Lanes<f32>) -> Lanes<f32> {
    let fast = map(x, |x| {
        let x = f64::from(x);
        let turns = x * RECIPROCAL_PI_HIGH;
        let (k, bits) = nearest(turns);
        let f = (turns - k) + x * RECIPROCAL_PI_LOW;
        sine_of_half_turns::<FUSED>(f, bits)
    });
    with_large_arguments(x, fast, f64::sin)
}

/// cos(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn cos<const FUSED: bool>(x: Lanes<f32>) -> Lanes<f32> {
    let fast = map(x, |x| {
        // The cosine is the sine shifted by a quarter turn, which is 1/2 half turn. |x| makes the subtraction of 1/2
        // exact wherever f is small.
        let x = f64::from(x.abs());
        let further = x * RECIPROCAL_PI_HIGH - 0.5;
        let (k, bits) = nearest(further);
        let f = (k - further) - x * RECIPROCAL_PI_LOW;
        sine_of_half_turns::<FUSED>(f, bits)
    });
    with_large_arguments(x, fast, f64::cos)
}

/// tan(x), error below 0.502 ulp.
#[inline(always)]
pub(super) fn tan<const FUSED: bool>(x: Lanes<f32>) -> Lanes<f32> {
    let fast = map(x, |x| {
        let x = f64::from(x);
        let turns = x * (2.0 * RECIPROCAL_PI_HIGH);
        let (k, bits) = nearest(turns);
        let f = (turns - k) + x * (2.0 * RECIPROCAL_PI_LOW);
        let square = f * f;
        let sin = f * polynomial::<FUSED, 5>(square, SIN_QUARTER_TURN);
        let cos = polynomial::<FUSED, 5>(square, COS_QUARTER_TURN);
        // For an odd number of quarter turns the tangent is -cos / sin.
        let even = bits & 1 == 0;
        let tan = if even { sin } else { cos } / if even { cos } else { sin };
        negated_if_odd(tan, bits) as f32
    });
    with_large_arguments(x, fast, f64::tan)
}

/// sin(pi f) for |f| <= 1/2, negated if `half_turns` is odd.
#[inline(always)]
fn sine_of_half_turns<const FUSED: bool>(f: f64, half_turns: u64) -> f32 {
    negated_if_odd(f * polynomial::<FUSED, 6>(f * f, SIN_HALF_TURN), half_turns) as f32
}

#[inline(always)]
fn negated_if_odd(value: f64, integer: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (integer << 63))
}

/// Recomputes the lanes whose argument is above [`FAST_LIMIT`]. (The results of NaN and infinities are NaN already.)
#[inline(always)]
fn with_large_arguments(x: Lanes<f32>, fast: Lanes<f32>, exact: fn(f64) -> f64) -> Lanes<f32> {
    let mut any = false;
    for x in x {
        any |= is_large(x);
    }
    let mut out = fast;
    if any {
        // The call gets copies. Otherwise all lanes would have to be in memory on the common path too.
        let (arguments, mut slow) = (map(x, |x| x), map(fast, |value| value));
        replace_large(&arguments, &mut slow, exact);
        out = map(slow, |value| value);
    }
    out
}

#[inline(always)]
fn is_large(x: f32) -> bool {
    (x.abs() > FAST_LIMIT) & (x.abs() < f32::INFINITY)
}

#[cold]
#[inline(never)]
fn replace_large(x: &Lanes<f32>, out: &mut Lanes<f32>, exact: fn(f64) -> f64) {
    for (out, &x) in out.iter_mut().zip(x) {
        if is_large(x) {
            *out = exact(f64::from(x)) as f32;
        }
    }
}
