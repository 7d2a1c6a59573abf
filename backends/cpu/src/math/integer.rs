//! Integer division with WGSL's results: x / 0 = x, x % 0 = 0, MIN / -1 = MIN, MIN % -1 = 0.
//!
//! All four cases equal a division by one, so the divisor is replaced by one first, and no division can trap.
//!
//! There is no vector instruction for integer division, so 32-bit operands a and b are divided as f64. The truncated
//! result is exact. Both operands convert to f64 without error. Let the quotient a/b be n + t with an integer n >= 0
//! and 0 <= t < 1 (without signs). If t = 0, the f64 quotient is n itself. Otherwise only rounding up to n + 1 could
//! make the result wrong. But n + 1 is at least 1/b away from a/b, relatively (1/b) / (a/b) = 1/a > 2^-32, while the
//! relative error of the division is at most 2^-53. Truncation therefore returns n.

/// The divisor that gives WGSL's result without a trap.
#[inline(always)]
fn safe_divisor_i32(a: i32, b: i32) -> i32 {
    if (b == 0) | ((a == i32::MIN) & (b == -1)) { 1 } else { b }
}

#[inline(always)]
fn safe_divisor_i64(a: i64, b: i64) -> i64 {
    if (b == 0) | ((a == i64::MIN) & (b == -1)) { 1 } else { b }
}

/// `a / b`, rounded towards zero.
#[inline(always)]
pub(super) fn div_i32(a: i32, b: i32) -> i32 {
    let quotient = f64::from(a) / f64::from(safe_divisor_i32(a, b));
    // SAFETY: the divisor is not 0, and not -1 if `a` is MIN, so the quotient is finite and fits in an `i32`.
    unsafe { quotient.to_int_unchecked() }
}

/// `a % b`, with the sign of `a`.
#[inline(always)]
pub(super) fn rem_i32(a: i32, b: i32) -> i32 {
    a.wrapping_sub(div_i32(a, b).wrapping_mul(safe_divisor_i32(a, b)))
}

/// `a / b`.
#[inline(always)]
pub(super) fn div_u32(a: u32, b: u32) -> u32 {
    let quotient = f64::from(a) / f64::from(if b == 0 { 1 } else { b });
    // SAFETY: the divisor is at least 1, so the quotient is at most `a` and fits in a `u32`.
    unsafe { quotient.to_int_unchecked() }
}

/// `a % b`.
#[inline(always)]
pub(super) fn rem_u32(a: u32, b: u32) -> u32 {
    a.wrapping_sub(div_u32(a, b).wrapping_mul(if b == 0 { 1 } else { b }))
}

/// `a / b`, rounded towards zero.
#[inline(always)]
pub(super) fn div_i64(a: i64, b: i64) -> i64 {
    a.wrapping_div(safe_divisor_i64(a, b))
}

/// `a % b`, with the sign of `a`.
#[inline(always)]
pub(super) fn rem_i64(a: i64, b: i64) -> i64 {
    a.wrapping_rem(safe_divisor_i64(a, b))
}

/// `a / b`.
#[inline(always)]
pub(super) fn div_u64(a: u64, b: u64) -> u64 {
    a / b.max(1)
}

/// `a % b`.
#[inline(always)]
pub(super) fn rem_u64(a: u64, b: u64) -> u64 {
    a % b.max(1)
}
