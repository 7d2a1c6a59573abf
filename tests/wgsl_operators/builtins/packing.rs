//! Functions that pack words and unpack them.

use std::sync::Arc;

use anywarp_testing::random::Random;

use crate::operator_suite::accuracy::near;
use crate::operator_suite::edges::{RandomValue, Row, edges, ordinary};
use crate::operator_suite::scalar::{Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::Case;
use crate::operator_suite::want::Want;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = normalised();
    cases.extend(halves());
    cases.extend(bytes());
    cases
}

/// The cases for snorm and unorm, with 8 and 16 bits.
fn normalised() -> Vec<Case> {
    let mut cases = Vec::new();
    for (form, bits, signed) in
        [("4x8snorm", 8, true), ("4x8unorm", 8, false), ("2x16snorm", 16, true), ("2x16unorm", 16, false)]
    {
        let lanes = 32 / bits as usize;
        let scale = f64::from((1u32 << (bits - u32::from(signed))) - 1);
        let packed = move |row: &[Vec<Value>]| {
            // Each lane may be rounded in either direction near the midpoint.
            let mut words = vec![0u32];
            for (lane, value) in row[0].iter().enumerate() {
                let low = if signed { -1.0 } else { 0.0 };
                let scaled = value.f().clamp(low, 1.0) * scale;
                let near_half = (scaled - scaled.floor() - 0.5).abs() < 1e-3;
                let choices = if near_half { vec![scaled.floor(), scaled.ceil()] } else { vec![scaled.round()] };
                let mask = if bits == 8 { 0xff } else { 0xffff };
                let placed = |choice: &f64| ((*choice as i32 as u32) & mask) << (lane as u32 * bits);
                words = words.iter().flat_map(|word| choices.iter().map(move |choice| word | placed(choice))).collect();
            }
            vec![Want::OneOf(words.into_iter().map(|word| Want::int(Scalar::U32, i128::from(word))).collect())]
        };
        let unpacked = move |row: &[Vec<Value>]| {
            let lane = |lane: usize| {
                let field = (row[0][0].bits as u32) << (32 - bits - lane as u32 * bits);
                let whole =
                    if signed { f64::from((field as i32) >> (32 - bits)) } else { f64::from(field >> (32 - bits)) };
                let value = (whole / scale).max(-1.0);
                near(Scalar::F32, value, 3.0 * Scalar::F32.ulp(value))
            };
            (0..lanes).map(lane).collect()
        };
        cases.push(pack(&format!("pack{form}"), Type::vector(Scalar::F32, lanes), packed, move || floats(lanes)));
        cases.push(unpack(&format!("unpack{form}"), Type::vector(Scalar::F32, lanes), unpacked));
    }
    cases
}

fn halves() -> Vec<Case> {
    let packed = |row: &[Vec<Value>]| {
        let nearest: Vec<Value> = row[0].iter().map(|value| Value::float(Scalar::F16, value.f())).collect();
        let word = |low: u64, high: u64| Want::Is(Value::new(Scalar::U32, low | high << 16));
        let cpu = word(nearest[0].bits, nearest[1].bits);
        if nearest.iter().any(|half| half.is_special()) {
            return vec![Want::per_backend(cpu, Want::Any)];
        }
        // On other backends either neighbour is correct, and so is zero for a subnormal number.
        let choices = |lane: usize| {
            let (value, bits) = (row[0][lane].f(), nearest[lane].bits);
            let beside = [bits.saturating_sub(1), bits, bits + 1].map(|bits| Value::new(Scalar::F16, bits));
            let close = beside.into_iter().filter(move |half| (half.f() - value).abs() < Scalar::F16.ulp(value));
            let flushed = nearest[lane].f().abs() < Scalar::F16.min_normal();
            let zero = flushed.then_some(Value::float(Scalar::F16, 0.0f64.copysign(value)));
            close.chain(zero).chain([nearest[lane]]).map(|half| half.bits).collect::<Vec<u64>>()
        };
        let highs = choices(1);
        let words = choices(0).into_iter().flat_map(|low| highs.iter().map(move |high| word(low, *high)));
        vec![Want::per_backend(cpu, Want::OneOf(words.collect()))]
    };
    let unpacked = |row: &[Vec<Value>]| {
        let lane = |lane: usize| {
            let half = Value::new(Scalar::F16, row[0][0].bits >> (16 * lane));
            let exact = Want::float(Scalar::F32, half.f());
            let others = match half {
                half if half.is_special() => Want::Any,
                half if half.is_subnormal() => Want::OneOf(vec![exact.clone(), Want::Near { value: 0.0, within: 0.0 }]),
                _ => exact.clone(),
            };
            Want::per_backend(exact, others)
        };
        vec![lane(0), lane(1)]
    };
    let pair = Type::vector(Scalar::F32, 2);
    let mut cases = vec![pack("pack2x16float", pair, packed, || floats(2)), unpack("unpack2x16float", pair, unpacked)];
    for case in &mut cases {
        // Both functions need the same feature as `quantizeToF16`.
        let run = Arc::clone(&case.run);
        case.run = Arc::new(move |device| {
            if device.caps().feature_names().contains(&"quantizeToF16") {
                run(device)
            } else {
                anywarp_testing_devices::outcome::skip("the device has no quantizeToF16")
            }
        });
    }
    cases
}

fn bytes() -> Vec<Case> {
    let packed = |signed: bool, clamped: bool| {
        move |row: &[Vec<Value>]| {
            let byte = |value: &Value| {
                let range = if signed { (-128, 127) } else { (0, 255) };
                let whole = if clamped { value.i().clamp(range.0, range.1) } else { value.i() };
                whole as u8
            };
            let bytes: Vec<u8> = row[0].iter().map(byte).collect();
            let word = bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            vec![Want::Is(Value::new(Scalar::U32, word))]
        }
    };
    let unpacked = |scalar: Scalar| {
        move |row: &[Vec<Value>]| {
            let byte = |byte: u8| if scalar.is_signed() { i128::from(byte as i8) } else { i128::from(byte) };
            (row[0][0].bits as u32).to_le_bytes().into_iter().map(|b| Want::int(scalar, byte(b))).collect()
        }
    };
    let four = |scalar| Type::vector(scalar, 4);
    let (signed, unsigned) = (Scalar::I32, Scalar::U32);
    vec![
        pack("pack4xI8", four(signed), packed(true, false), move || integers(signed)),
        pack("pack4xU8", four(unsigned), packed(false, false), move || integers(unsigned)),
        pack("pack4xI8Clamp", four(signed), packed(true, true), move || integers(signed)),
        pack("pack4xU8Clamp", four(unsigned), packed(false, true), move || integers(unsigned)),
        unpack("unpack4xI8", four(signed), unpacked(signed)),
        unpack("unpack4xU8", four(unsigned), unpacked(unsigned)),
    ]
}

fn pack(
    function: &str,
    from: Type,
    reference: impl Fn(&[Vec<Value>]) -> Vec<Want> + Send + Sync + 'static,
    rows: impl Fn() -> Vec<Row> + Send + Sync + 'static,
) -> Case {
    let sweep = Sweep {
        expression: format!("{function}(x)"),
        arguments: vec![from],
        result: Type::scalar(Scalar::U32),
        before: "",
        rows: Arc::new(rows),
        reference: Arc::new(reference),
        features: &[],
        only_cpu: None,
    };
    Case::sweep(format!("builtins::{}::{function}", from.scalar.name()), sweep)
}

fn unpack(function: &str, to: Type, reference: impl Fn(&[Vec<Value>]) -> Vec<Want> + Send + Sync + 'static) -> Case {
    let rows = || {
        let mut random = Random::from_state(9);
        let halves = edges(Scalar::F16).into_iter().map(|half| half.bits << 16 | 0x3c00);
        let fixed = [0, 1, 0x7f, 0x80, 0xff, 0x7f80_ff81, 0x8000_8001, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
        let words: Vec<u64> = halves.chain(fixed).chain((0..400).map(|_| random.bits())).collect();
        words.into_iter().map(|word| vec![vec![Value::new(Scalar::U32, word)]]).collect()
    };
    let sweep = Sweep {
        expression: format!("{function}(x)"),
        arguments: vec![Type::scalar(Scalar::U32)],
        result: to,
        before: "",
        rows: Arc::new(rows),
        reference: Arc::new(reference),
        features: &[],
        only_cpu: None,
    };
    Case::sweep(format!("builtins::{}::{function}", to.scalar.name()), sweep)
}

/// Rows of float vectors, most of them between -1.5 and 1.5. NaN is left out, because its result is arbitrary.
fn floats(lanes: usize) -> Vec<Row> {
    let mut random = Random::from_state(8);
    let mut values: Vec<f64> = edges(Scalar::F32).into_iter().map(Value::f).collect();
    values.extend(edges(Scalar::F16).into_iter().map(Value::f));
    values.extend((0..500).map(|_| random.unit() * 3.0 - 1.5));
    values.extend((0..=256).map(|step| f64::from(step) / 128.0 - 1.0));
    let rows = values.iter().enumerate().map(|(at, value)| {
        let other = |lane: usize| values[(at * 7 + lane * 31) % values.len()];
        let lane = |lane: usize| Value::float(Scalar::F32, if lane == at % lanes { *value } else { other(lane) });
        vec![(0..lanes).map(lane).collect()]
    });
    ordinary(rows.collect())
}

fn integers(scalar: Scalar) -> Vec<Row> {
    let mut random = Random::from_state(10);
    let mut values = edges(scalar);
    values.extend((0..300).map(|_| random.value(scalar)));
    values.windows(4).map(|window| vec![window.to_vec()]).collect()
}
