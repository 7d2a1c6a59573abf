//! Tests of functions with one correct result: integer division, fma, and the f64 functions, which are those of the
//! standard library.

use super::super::fused::reference;
use super::super::table::LaneFunction as F;
use anywarp_testing::random::Random;

use super::{call, call_fma, versions};

const RANDOM_CALLS: u32 = if cfg!(debug_assertions) { 1 << 12 } else { 1 << 18 };

/// Edge values of 32 bits: around zero, powers of two and the extremes.
fn edges_u32() -> Vec<u32> {
    let mut edges = vec![0, 1, 2, 3, 5, 7, 10, 641, 6_700_417, 0x5555_5555, 0xaaaa_aaaa, u32::MAX - 1];
    for bit in 0..32 {
        let power = 1u32 << bit;
        edges.extend([power.wrapping_sub(1), power, power.wrapping_add(1), power.wrapping_neg()]);
    }
    edges
}

fn edges_u64() -> Vec<u64> {
    let narrow = edges_u32();
    let wide = narrow.iter().map(|&edge| u64::from(edge) << 32 | u64::from(edge & 1));
    narrow.iter().map(|&edge| edge as i32 as i64 as u64).chain(wide).collect()
}

fn div_i32(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { a.wrapping_div(b) }
}

fn rem_i32(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

fn div_i64(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { a.wrapping_div(b) }
}

fn rem_i64(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

fn check_32(a: u32, b: [u32; 8]) {
    let (a, signed_a, signed_b) = ([a; 8], [a as i32; 8], b.map(|b| b as i32));
    for version in versions() {
        let at = format!("{a:?} {b:?} {version:?}");
        assert_eq!(call(F::DivU32, version, a, b), b.map(|b| a[0].checked_div(b).unwrap_or(a[0])), "{at}");
        assert_eq!(call(F::RemU32, version, a, b), b.map(|b| a[0].checked_rem(b).unwrap_or(0)), "{at}");
        assert_eq!(call(F::DivI32, version, signed_a, signed_b), signed_b.map(|b| div_i32(signed_a[0], b)), "{at}");
        assert_eq!(call(F::RemI32, version, signed_a, signed_b), signed_b.map(|b| rem_i32(signed_a[0], b)), "{at}");
    }
}

fn check_64(a: u64, b: [u64; 8]) {
    let (a, signed_a, signed_b) = ([a; 8], [a as i64; 8], b.map(|b| b as i64));
    for version in versions() {
        assert_eq!(call(F::DivU64, version, a, b), b.map(|b| a[0].checked_div(b).unwrap_or(a[0])));
        assert_eq!(call(F::RemU64, version, a, b), b.map(|b| a[0].checked_rem(b).unwrap_or(0)));
        assert_eq!(call(F::DivI64, version, signed_a, signed_b), signed_b.map(|b| div_i64(signed_a[0], b)));
        assert_eq!(call(F::RemI64, version, signed_a, signed_b), signed_b.map(|b| rem_i64(signed_a[0], b)));
    }
}

/// Calls `check` with every pair of edge values.
fn every_pair<T: Copy + Default>(edges: &[T], check: fn(T, [T; 8])) {
    for &a in edges {
        for chunk in edges.chunks(8) {
            check(a, std::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or_default()));
        }
    }
}

#[test]
fn integer_division_of_edge_values() {
    every_pair(&edges_u32(), check_32);
    every_pair(&edges_u64(), check_64);
}

#[test]
fn integer_division_of_random_values() {
    let mut random = Random::from_state(2);
    for _ in 0..RANDOM_CALLS {
        let a = random.bits();
        // Divisors of all lengths.
        let b: [u64; 8] = std::array::from_fn(|_| random.bits() >> (random.bits() % 64));
        check_64(a >> (a % 64), b);
        check_32((a as u32) >> (a >> 59), b.map(|b| b as u32));
        // A wrong rounding would change the quotient next to multiples of the divisor.
        let divisor = (b[0] as u32).max(1);
        let multiple = ((a as u32) / divisor).wrapping_mul(divisor);
        check_32(multiple.wrapping_sub(1), [divisor; 8]);
        check_32(multiple, [divisor; 8]);
    }
}

#[test]
fn fma_rounds_once() {
    let edges =
        [0.0, -0.0, 1.0, -1.0, f32::MAX, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::from_bits(1), 1.000_000_1];
    let mut random = Random::from_state(3);
    let mut pick = || {
        let bits = random.bits();
        match bits >> 62 {
            0 => f32::from_bits(bits as u32),
            1 => edges[(bits % 10) as usize],
            // Products and sums of operands near one are often halfway between two floats.
            _ => {
                f32::from_bits(0x3f00_0000 + (bits as u32 & 0x81ff_ffff)) * if bits & 1 << 40 == 0 { 1.0 } else { 1e-7 }
            }
        }
    };
    for _ in 0..RANDOM_CALLS {
        let inputs: [[f32; 8]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| pick()));
        for version in versions() {
            let got = call_fma(F::FmaF32, version, inputs);
            for lane in 0..8 {
                let [a, b, c] = inputs.map(|input| input[lane]);
                let expected = reference::fma_f32(a, b, c);
                let same = got[lane].to_bits() == expected.to_bits() || (got[lane].is_nan() && expected.is_nan());
                assert!(same, "fma({a:?}, {b:?}, {c:?}) {version:?} = {:?}, not {expected:?}", got[lane]);
            }
        }
    }
}

#[test]
fn fma_of_f64_rounds_once() {
    let edges = [
        0.0,
        1.0,
        1.0 + f64::EPSILON,
        0.5,
        3.0,
        7.0,
        1e-160,
        2e-162,
        1e160,
        1e-300,
        1e300,
        2e-308,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits(3),
        f64::INFINITY,
        f64::NAN,
    ];
    let edges: Vec<f64> = edges.iter().flat_map(|&value| [value, -value]).collect();
    for &a in &edges {
        for &b in &edges {
            for c in edges.chunks(6) {
                check_f64(std::array::from_fn(|lane| [a, b, c[lane % c.len()]]));
            }
        }
    }
    let mut random = Random::from_state(4);
    // Exponents of a few bits around zero, or around those of the least numbers, or any.
    let mut pick = |kind: u64| {
        let bits = random.bits();
        let exponent = match kind {
            0 => 0x3ff - 30 + random.bits() % 60,
            1 => 0x200 - 30 + random.bits() % 60,
            2 => random.bits() % 60,
            _ => random.bits() % 0x7ff,
        };
        // Many zeros at the end, so that products are often halfway between two numbers.
        let mask = if bits & 1 << 52 == 0 { u64::MAX } else { u64::MAX << 26 };
        f64::from_bits(bits & mask & !(0x7ff << 52) | exponent << 52)
    };
    for round in 0..RANDOM_CALLS {
        let [of_a, of_b, of_c] = [[0, 0, 0], [1, 1, 2], [3, 0, 3], [1, 1, 1]][round as usize % 4];
        check_f64(std::array::from_fn(|_| [pick(of_a), pick(of_b), pick(of_c)]));
    }
    // Sums of a product and the product that was rounded: its error is left.
    for _ in 0..RANDOM_CALLS {
        check_f64(std::array::from_fn(|_| {
            let (a, b) = (pick(0), pick(0));
            [a, b, -(a * b)]
        }));
    }
}

/// Compares the fma of each of these operands with the reference.
fn check_f64(operands: [[f64; 3]; 8]) {
    for version in versions() {
        let got = call_fma(F::FmaF64, version, std::array::from_fn(|at| operands.map(|lane| lane[at])));
        for (got, [a, b, c]) in got.into_iter().zip(operands) {
            let expected = reference::fma_f64(a, b, c);
            let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
            assert!(same, "fma({a:?}, {b:?}, {c:?}) {version:?} = {got:?}, not {expected:?}");
        }
    }
}

#[test]
fn doubles_are_the_standard_librarys() {
    // The operands are hidden from the compiler, because its constant folding may differ from the machine's library.
    let (x, y) = (std::hint::black_box(0.7f64), std::hint::black_box(1.3f64));
    let (a, b) = ([x; 8], [y; 8]);
    let expected: [(F, f64); 8] = [
        (F::ExpF64, x.exp()),
        (F::Log2F64, x.log2()),
        (F::PowF64, x.powf(y)),
        (F::SinF64, x.sin()),
        (F::AcosF64, x.acos()),
        (F::Atan2F64, x.atan2(y)),
        (F::TanhF64, x.tanh()),
        (F::AtanhF64, x.atanh()),
    ];
    for version in versions() {
        for (function, expected) in expected {
            assert_eq!(call(function, version, a, b), [expected; 8], "{function:?}");
        }
    }
}
