//! Compares inline powers with those of `f64`.

use anywarp_testing::random::Random;

use super::super::inline::bound;
use super::inline::error_in_ulp;
use super::{Case, Compiled, Memory, check_aarch64, compile, load, machines, module, store};
use crate::ir::Class;
use crate::math::LaneFunction::Pow;

/// Calls `run` with a function for lanes and one for scalars; nothing without fused multiply-add.
fn with_code(run: impl FnOnce(Compiled, Compiled)) {
    let (_, isa) = machines().swap_remove(0);
    if !isa.has_native_fma() {
        return;
    }
    let mut module = module(isa);
    let lanes = compile(&mut module, |emit, [out, operands]| {
        let [x, y] = [0, 64].map(|offset| emit.load_parts(Class::F32, operands, offset));
        let result = emit.inline(Pow, &x, &y);
        emit.store_parts(&result, out, 0);
    });
    let scalar = compile(&mut module, |emit, [out, operands]| {
        let [x, y] = [0, 64].map(|offset| {
            let parts = emit.load_parts(Class::F32, operands, offset);
            emit.lane(Class::F32, &parts, 0)
        });
        let result = emit.inline_scalar(Pow, x, y);
        let result = emit.splat(Class::F32, result);
        emit.store_parts(&result, out, 0);
    });
    run(lanes, scalar);
    // SAFETY: no pointer into the code is left.
    unsafe { module.free_memory() };
}

fn powers(code: Compiled, x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
    let operands = [x, y].map(|lanes| store(Class::F32, &lanes.map(|lane| u64::from(lane.to_bits()))));
    let mut out = Memory([0; 8]);
    // SAFETY: the code reads two operands and writes one result.
    unsafe { code(&mut out, operands.as_ptr()) };
    load(Class::F32, &out).map(|bits| f32::from_bits(bits as u32))
}

/// A uniform number of `least..most`.
fn between(random: &mut Random, least: f64, most: f64) -> f64 {
    least + (most - least) * (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// A base and an exponent.
type Sample = fn(&mut Random) -> (f32, f32);

/// The kinds of samples.
const KINDS: [(&str, Sample); 6] = [
    ("any result", |random| with_result(f32::from_bits(random.bits() as u32 >> 1), random, -151.0, 129.0)),
    ("x in 0.7..1.5", |random| with_result(between(random, 0.7, 1.5) as f32, random, -151.0, 129.0)),
    ("x next to 1", |random| {
        let near = f32::from_bits(1.0f32.to_bits().wrapping_add_signed((random.bits() as i32) >> 18));
        with_result(near, random, -151.0, 129.0)
    }),
    ("results near 1", |random| with_result(f32::from_bits(random.bits() as u32 >> 1), random, -1.0, 1.0)),
    ("gamma", |random| (between(random, 0.0, 1.0) as f32, between(random, 0.2, 5.0) as f32)),
    ("any bits", |random| (f32::from_bits(random.bits() as u32), f32::from_bits(random.bits() as u32))),
];

/// `x`, and an exponent with which the power is between two powers of two.
fn with_result(x: f32, random: &mut Random, least: f64, most: f64) -> (f32, f32) {
    (x, (between(random, least, most) / f64::from(x).log2()) as f32)
}

/// Compares `count` samples of each kind.
fn check_errors(count: usize) {
    with_code(|lanes, scalar| {
        let mut random = Random::from_state(1);
        for (kind, sample) in KINDS {
            let (mut worst, mut at) = (0.0, (0.0, 0.0));
            for number in 0..count / 8 {
                let pairs: [(f32, f32); 8] = std::array::from_fn(|_| sample(&mut random));
                let (x, y) = (pairs.map(|pair| pair.0), pairs.map(|pair| pair.1));
                let results = powers(lanes, x, y);
                if number % 16 == 0 {
                    let alone = powers(scalar, x, y)[0];
                    let same = alone.to_bits() == results[0].to_bits() || alone.is_nan() && results[0].is_nan();
                    assert!(same, "{:?} as scalars: {alone:?}, not {:?}", pairs[0], results[0]);
                }
                for ((x, y), result) in pairs.into_iter().zip(results) {
                    // The sign of zero is left out of powers, which C keeps for odd exponents.
                    let exact = if x == 0.0 { 0f64.powf(f64::from(y)) } else { f64::from(x).powf(f64::from(y)) };
                    let error = error_in_ulp(result, exact);
                    if error > worst {
                        (worst, at) = (error, (x, y));
                    }
                }
            }
            println!("{kind}: {worst:.4} ulp at {at:?}");
            assert!(worst <= bound(Pow).unwrap_or(0.0), "{kind}: {worst} ulp at {at:?}");
        }
    });
}

#[test]
fn errors_are_within_their_bound() {
    check_errors(1 << 18);
}

/// Runs for some minutes: `cargo test --release --workspace --lib -- --ignored power`.
#[test]
#[ignore = "many pairs take minutes"]
fn errors_of_many_pairs_are_within_their_bound() {
    check_errors(1 << 28);
}

/// Results with exactly these bits, as those of the call.
#[test]
fn limits_are_exact() {
    let (inf, nan, tiny, least) = (f32::INFINITY, f32::NAN, f32::from_bits(1), f32::MIN_POSITIVE);
    let cases = [
        [0.0, 2.0, 0.0],
        [-0.0, 0.5, 0.0],
        [0.0, tiny, 0.0],
        [0.0, -2.0, inf],
        [0.0, -tiny, inf],
        [0.0, 0.0, 1.0],
        [0.0, -0.0, 1.0],
        [0.0, nan, nan],
        [1.0, 1e38, 1.0],
        [1.0, inf, 1.0],
        [1.0, -inf, 1.0],
        [2.0, -149.0, tiny],
        [2.0, -151.0, 0.0],
        [2.0, 127.0, 1.701_411_8e38],
        [2.0, 128.0, inf],
        [2.0, 1e38, inf],
        [2.0, -1e38, 0.0],
        [0.5, 149.0, tiny],
        [0.5, inf, 0.0],
        [2.0, inf, inf],
        [2.0, -inf, 0.0],
        [2.0, nan, nan],
        [3.0, 0.0, 1.0],
        [4.0, 0.5, 2.0],
        [4.0, -0.5, 0.5],
        [tiny, 1.0, tiny],
        [tiny, -1.0, inf],
        [tiny, 0.0, 1.0],
        [least, 1.0, least],
        [least, -1.0, 8.507_059e37],
        [inf, 0.0, 1.0],
        [inf, 2.0, inf],
        [inf, -2.0, 0.0],
        [nan, 0.0, 1.0],
        [nan, 1.0, nan],
        [-2.0, 2.0, 4.0],
        [-2.0, 3.0, -8.0],
        [-2.0, 0.5, nan],
        [-1.0, inf, 1.0],
        [-inf, 3.0, -inf],
    ];
    with_code(|lanes, scalar| {
        for [x, y, expected] in cases {
            // The case is in one lane among ordinary ones.
            let (mut bases, mut exponents) = ([0.75; 8], [2.5; 8]);
            (bases[5], exponents[5]) = (x, y);
            let got = powers(lanes, bases, exponents);
            for got in [got[5], powers(scalar, [x; 8], [y; 8])[0]] {
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "{x:?}^{y:?}: {got:?}, not {expected:?}");
            }
            assert_eq!(got[0].to_bits(), got[7].to_bits(), "next to {x:?}^{y:?}");
        }
    });
}

#[test]
fn other_processors_have_the_instructions() {
    check_aarch64(&Case {
        name: "Pow".to_owned(),
        from: vec![Class::F32; 2],
        to: Class::F32,
        lanes: Box::new(|emit, x| emit.inline(Pow, &x[0], &x[1])),
        scalar: Some(Box::new(|emit, x| emit.inline_scalar(Pow, x[0], x[1]))),
        reference: Box::new(|x| x[0]),
    });
}
