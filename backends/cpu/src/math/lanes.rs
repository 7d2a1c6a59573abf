//! Loops over the eight lanes of a call, and the arithmetic that the functions share.

/// An operand or result of a call: one value for each of eight lanes.
pub(super) type Lanes<T> = [T; 8];

/// Applies `f` to every lane; `f` must be free of branches for the loop to become vector code.
#[inline(always)]
pub(super) fn map<T: Copy>(a: Lanes<T>, f: impl Fn(T) -> T) -> Lanes<T> {
    let mut out = a;
    for lane in 0..out.len() {
        out[lane] = f(a[lane]);
    }
    out
}

/// Applies `f` to every pair of lanes.
#[inline(always)]
pub(super) fn zip<T: Copy>(a: Lanes<T>, b: Lanes<T>, f: impl Fn(T, T) -> T) -> Lanes<T> {
    let mut out = a;
    for lane in 0..out.len() {
        out[lane] = f(a[lane], b[lane]);
    }
    out
}

/// Applies `f` to every triple of lanes.
#[inline(always)]
pub(super) fn zip3<T: Copy>(a: Lanes<T>, b: Lanes<T>, c: Lanes<T>, f: impl Fn(T, T, T) -> T) -> Lanes<T> {
    let mut out = a;
    for lane in 0..out.len() {
        out[lane] = f(a[lane], b[lane], c[lane]);
    }
    out
}

/// `a * b + c`, with one rounding where the machine has the instruction. (On others `mul_add` would be a slow library
/// call, and two roundings of f64 are far below the precision of an f32.)
#[inline(always)]
pub(super) fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// The value at `x` of the polynomial with these coefficients, the constant first. Odd and even powers are summed
/// separately: one multiplication more than in Horner's scheme, but a dependency chain of half the length.
#[inline(always)]
pub(super) fn polynomial<const FUSED: bool, const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let square = x * x;
    // `first` sums the odd or the even powers, like N - 1; `second` sums the others.
    let (mut first, mut second) = (coefficients[N - 1], coefficients[N - 2]);
    let mut power = N - 2;
    while power >= 2 {
        first = multiply_add::<FUSED>(first, square, coefficients[power - 1]);
        second = multiply_add::<FUSED>(second, square, coefficients[power - 2]);
        power -= 2;
    }
    if power == 1 {
        first = multiply_add::<FUSED>(first, square, coefficients[0]);
        multiply_add::<FUSED>(second, x, first)
    } else {
        multiply_add::<FUSED>(first, x, second)
    }
}

/// 1.5 * 2^52. Adding this number to an f64 below 2^51 in magnitude rounds the f64 to the nearest integer, which is
/// then in the low bits of the sum, in two's complement.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The integer nearest to `x` for |x| < 2^51, as an f64 and as bits, of which the low 51 are valid.
#[inline(always)]
pub(super) fn nearest(x: f64) -> (f64, u64) {
    let shifted = x + ROUNDER;
    (shifted - ROUNDER, shifted.to_bits())
}
