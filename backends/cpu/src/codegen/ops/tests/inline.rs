//! Compares the inline functions with `f64` functions of the standard library.

use super::super::super::isa::Isa;
use super::super::inline::bound;
use super::{Case, Memory, check_aarch64, compile, compile_with, load, machines, module, store};
use crate::ir::{BinaryOp, Class, UnaryOp};
use crate::math::Functions;
use crate::math::LaneFunction::{self, Cos, Exp, Exp2, Log, Log2, Sin, Tanh};

/// A function, and the same one in `f64`.
type Pair = (LaneFunction, fn(f64) -> f64);

/// The inline functions of one argument, with their references.
const FUNCTIONS: [Pair; 7] = [
    (Exp, f64::exp),
    (Exp2, f64::exp2),
    (Log, f64::ln),
    (Log2, f64::log2),
    (Tanh, f64::tanh),
    (Sin, f64::sin),
    (Cos, f64::cos),
];

/// The error of `got` in units in the last place of the exact result, at least 2^-149; infinite for a wrong limit, NaN or
/// sign.
fn error_in_ulp(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if !rounded.is_finite() || rounded == 0.0 {
        let same = got.to_bits() == rounded.to_bits() || got.is_nan() && rounded.is_nan();
        // A result next to a limit may be on its other side.
        let near = got.is_finite() && !rounded.is_nan() && exact.is_finite() && got.is_sign_negative() == (exact < 0.0);
        if same || !near {
            return if same { 0.0 } else { f64::INFINITY };
        }
    }
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let ulp = 2f64.powi((exponent - 23).max(-149));
    // An infinity in place of a number that is nearly as large.
    let got = if got.is_infinite() { 2f64.powi(128).copysign(f64::from(got)) } else { f64::from(got) };
    (got - exact).abs() / ulp
}

/// The largest error of a function over every `stride`th argument, and its position. The function runs as lanes; each
/// first lane runs as a scalar, too.
fn largest_error(by: Isa, function: LaneFunction, reference: fn(f64) -> f64, stride: u32) -> Option<(f64, f32)> {
    let (_, isa, _) = machines().swap_remove(0);
    if !isa.has_native_fma() {
        return None;
    }
    let mut module = module(isa);
    let lanes = compile(&mut module, by, |emit, [out, operands]| {
        let x = emit.load_parts(Class::F32, operands, 0);
        let result = emit.inline(function, &x);
        emit.store_parts(&result, out, 0);
    });
    let scalar = compile(&mut module, by, |emit, [out, operands]| {
        let x = emit.load_parts(Class::F32, operands, 0);
        let x = emit.lane(Class::F32, &x, 0);
        let result = emit.inline_scalar(function, x);
        let result = emit.splat(Class::F32, result);
        emit.store_parts(&result, out, 0);
    });
    let run = |code: super::Compiled, memory: &Memory| {
        let mut out = Memory::ZERO;
        // SAFETY: the code reads one operand and writes one result.
        unsafe { code(&mut out, memory) };
        load(Class::F32, &out).map(|bits| f32::from_bits(bits as u32))
    };
    let mut worst = (0.0, 0.0);
    for first in (0..=u64::from(u32::MAX)).step_by(8 * stride as usize) {
        let bits: [u64; 8] = std::array::from_fn(|lane| (first + lane as u64 * u64::from(stride)) & 0xffff_ffff);
        let memory = store(Class::F32, &bits);
        let results = run(lanes, &memory);
        if first % (64 * u64::from(stride)) == 0 {
            let scalar = run(scalar, &memory)[0];
            let same = scalar.to_bits() == results[0].to_bits() || scalar.is_nan() && results[0].is_nan();
            assert!(
                same,
                "{function:?}({:?}) as scalar: {scalar:?}, not {:?}",
                f32::from_bits(bits[0] as u32),
                results[0]
            );
        }
        for (bits, result) in bits.into_iter().zip(results) {
            let x = f32::from_bits(bits as u32);
            let error = error_in_ulp(result, reference(f64::from(x)));
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    // SAFETY: no pointer into the code is left.
    unsafe { module.free_memory() };
    Some(worst)
}

fn check_errors(stride: u32) {
    std::thread::scope(|scope| {
        let generators = Isa::all();
        for ((function, reference), by) in
            FUNCTIONS.into_iter().flat_map(|one| generators.iter().map(move |by| (one, *by)))
        {
            scope.spawn(move || {
                let Some((error, at)) = largest_error(by, function, reference, stride) else { return };
                println!("{function:?}: {error:.4} ulp at {at:?}");
                assert!(error <= bound(function).unwrap_or(0.0), "{function:?}: {error} ulp at {at:?}");
            });
        }
    });
}

#[test]
fn errors_are_within_their_bounds() {
    check_errors(4093);
}

/// Runs for some minutes: `cargo test --release --workspace --lib -- --ignored inline`.
#[test]
#[ignore = "all arguments take minutes"]
fn errors_of_all_arguments_are_within_their_bounds() {
    check_errors(1);
}

/// The largest error of inverse square roots over every `stride`th argument above zero, and its position.
fn inverse_root_error(by: Isa, stride: u32) -> (f64, f32) {
    let (_, isa, _) = machines().swap_remove(0);
    let mut module = module(isa);
    let code = compile_with(&mut module, by, Functions::Fast, |emit, [out, operands]| {
        let x = emit.load_parts(Class::F32, operands, 0);
        let roots = emit.unary(UnaryOp::Sqrt, Class::F32, &x);
        let one = emit.constant(Class::F32, u64::from(1f32.to_bits()));
        let result = emit.binary(BinaryOp::Div, Class::F32, &one, &roots);
        emit.store_parts(&result, out, 0);
    });
    let mut worst = (0.0, 0.0);
    let special = [f32::INFINITY, 0.0, -0.0, -1.0, f32::NAN, f32::from_bits(1), f32::MAX, f32::MIN_POSITIVE];
    let special = std::iter::once(special.map(|x| u64::from(x.to_bits())));
    let all = (1..0x7f80_0000u64 - 8 * u64::from(stride)).step_by(8 * stride as usize);
    let all = all.map(|first| std::array::from_fn(|lane| first + lane as u64 * u64::from(stride)));
    for bits in special.chain(all) {
        let memory = store(Class::F32, &bits);
        let mut out = Memory::ZERO;
        // SAFETY: the code reads one operand and writes one result.
        unsafe { code(&mut out, &memory) };
        for (bits, result) in bits.into_iter().zip(load(Class::F32, &out)) {
            let x = f32::from_bits(bits as u32);
            let error = error_in_ulp(f32::from_bits(result as u32), 1.0 / f64::from(x).sqrt());
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    // SAFETY: no pointer into the code is left.
    unsafe { module.free_memory() };
    worst
}

fn check_inverse_roots(stride: u32) {
    for by in Isa::all() {
        let (error, at) = inverse_root_error(by, stride);
        println!("inverse square root ({by:?}): {error:.4} ulp at {at:?}");
        assert!(error <= 1.5, "inverse square root ({by:?}): {error} ulp at {at:?}");
    }
}

#[test]
fn inverse_roots_are_within_their_bound() {
    check_inverse_roots(4093);
}

/// Runs for some minutes: `cargo test --release --workspace --lib -- --ignored inline`.
#[test]
#[ignore = "all arguments take minutes"]
fn inverse_roots_of_all_arguments_are_within_their_bound() {
    check_inverse_roots(1);
}

/// Limits, zeros, subnormal numbers, and results that are exact. The error is zero if the result has the same bits.
#[test]
fn limits_are_exact() {
    let (inf, tiny, least) = (f32::INFINITY, f32::from_bits(1), f32::MIN_POSITIVE);
    let cases = [
        (Exp, [0.0, -0.0, -inf, inf, 89.0, -104.0, tiny, -103.0], [1.0, 1.0, 0.0, inf, inf, 0.0, 1.0, tiny]),
        (
            Exp2,
            [127.0, 128.0, -126.0, -149.0, -151.0, -inf, inf, 0.0],
            [1.701_411_8e38, inf, least, tiny, 0.0, 0.0, inf, 1.0],
        ),
        (Log, [1.0, 0.0, -0.0, -1.0, -tiny, inf, -inf, 1.0], [0.0, -inf, -inf, f32::NAN, f32::NAN, inf, f32::NAN, 0.0]),
        (Log2, [1.0, 0.0, -0.0, 8.0, tiny, inf, 0.5, -least], [0.0, -inf, -inf, 3.0, -149.0, inf, -1.0, f32::NAN]),
        (Tanh, [0.0, -0.0, tiny, -tiny, inf, -inf, 9.5, -least], [0.0, -0.0, tiny, -tiny, 1.0, -1.0, 1.0, -least]),
    ];
    let cases = cases.into_iter().chain([
        (
            Sin,
            [0.0, -0.0, tiny, -tiny, inf, -inf, -least, 0.0],
            [0.0, -0.0, tiny, -tiny, f32::NAN, f32::NAN, -least, 0.0],
        ),
        (Cos, [0.0, -0.0, tiny, -tiny, inf, -inf, -least, 0.0], [1.0, 1.0, 1.0, 1.0, f32::NAN, f32::NAN, 1.0, 1.0]),
    ]);
    let (_, isa, _) = machines().swap_remove(0);
    if !isa.has_native_fma() {
        return;
    }
    let mut module = module(isa);
    let generators = Isa::all();
    for ((function, arguments, expected), by) in
        cases.into_iter().flat_map(|one| generators.iter().map(move |by| (one, *by)))
    {
        let code = compile(&mut module, by, |emit, [out, operands]| {
            let x = emit.load_parts(Class::F32, operands, 0);
            let result = emit.inline(function, &x);
            emit.store_parts(&result, out, 0);
        });
        for (argument, expected) in arguments.into_iter().zip(expected).chain([(f32::NAN, f32::NAN)]) {
            // The case is in one lane among ordinary ones.
            let mut lanes = [0.75f32; 8];
            lanes[5] = argument;
            let memory = store(Class::F32, &lanes.map(|lane| u64::from(lane.to_bits())));
            let mut out = Memory::ZERO;
            // SAFETY: the code reads one operand and writes one result.
            unsafe { code(&mut out, &memory) };
            let got = load(Class::F32, &out).map(|bits| f32::from_bits(bits as u32));
            let same = got[5].to_bits() == expected.to_bits() || got[5].is_nan() && expected.is_nan();
            assert!(same, "{function:?}({argument:?}): {:?}, not {expected:?}", got[5]);
            assert_eq!(got[0].to_bits(), got[7].to_bits(), "{function:?} next to {argument:?}");
        }
    }
    // SAFETY: no pointer into the code is left.
    unsafe { module.free_memory() };
}

#[test]
fn other_processors_have_the_instructions() {
    for (function, _) in FUNCTIONS {
        check_aarch64(&Case {
            name: format!("{function:?}"),
            from: vec![Class::F32],
            to: Class::F32,
            lanes: Box::new(move |emit, x| emit.inline(function, &x[0])),
            scalar: Some(Box::new(move |emit, x| emit.inline_scalar(function, x[0]))),
            reference: Box::new(|x| x[0]),
        });
    }
}
