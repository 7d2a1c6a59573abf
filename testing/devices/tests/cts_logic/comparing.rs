//! Comparison of buffers with checks.

use anywarp_testing_devices::cts::check::compare;
use anywarp_testing_devices::cts::expect::{Expected, Scalar};
use anywarp_testing_devices::cts::format::Check;

fn check(json: &str) -> Check {
    serde_json::from_str(json).expect(json)
}

/// The number of mismatches of a check on a buffer.
fn mismatches(json: &str, buffer: &[u8]) -> usize {
    compare(&check(json), buffer).count
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn scalars_are_what_is_expected() {
    use Expected::{Anything, Integer, Number, OneOf, Within};
    let inf = f64::INFINITY;
    let below = |x: f64| f64::from((x as f32).next_down());
    let table = [
        (Anything, Scalar::Float(f64::NAN), true),
        (Number(0.0), Scalar::Float(-0.0), true),
        (Number(-0.0), Scalar::Float(0.0), true),
        (Number(f64::NAN), Scalar::Float(f64::NAN), false),
        (Number(1.0), Scalar::Float(f64::NAN), false),
        (Number(inf), Scalar::Float(inf), true),
        (Number(inf), Scalar::Float(f64::MAX), false),
        (Number(-1.0), Scalar::Integer(-1), true),
        (Number(4_294_967_295.0), Scalar::Integer(4_294_967_295), true),
        (Number(1.5), Scalar::Integer(1), false),
        (Within(1.0, 2.0), Scalar::Float(1.0), true),
        (Within(1.0, 2.0), Scalar::Float(2.0), true),
        (Within(1.0, 2.0), Scalar::Float(below(1.0)), false),
        (Within(-inf, inf), Scalar::Float(f64::NAN), false),
        (Within(-inf, inf), Scalar::Float(-inf), true),
        (Within(0.0, 0.0), Scalar::Float(-0.0), true),
        (Within(1.0, 3.0), Scalar::Integer(3), true),
        (Integer(i64::MAX), Scalar::Integer(i64::MAX), true),
        (Integer(i64::MAX), Scalar::Integer(i64::MAX - 1), false),
        (OneOf(vec![Within(1.0, 2.0), Anything]), Scalar::Float(f64::NAN), true),
        (OneOf(vec![Number(1.0), Number(2.0)]), Scalar::Integer(2), true),
        (OneOf(vec![Number(1.0), Number(2.0)]), Scalar::Integer(3), false),
        (OneOf(vec![]), Scalar::Integer(3), false),
    ];
    for (expected, got, allowed) in table {
        assert_eq!(expected.allows(got), allowed, "{expected} for {got:?}");
    }
}

#[test]
fn equality_is_of_bytes_or_of_numbers() {
    let zeros = r#"{"after":0,"buf":0,"off":4,"kind":"eq","ty":"TY","zeros":4}"#;
    let buffer = floats(&[1.0, -0.0, 1.0]);
    assert_eq!(mismatches(&zeros.replace("TY", "f32"), &buffer), 0);
    assert_eq!(mismatches(&zeros.replace("TY", "u32"), &buffer), 1);
    assert_eq!(mismatches(&zeros.replace("TY", "f16"), &[0, 0, 0, 0, 0, 0x80, 0, 0x80]), 0);
    assert_eq!(mismatches(&zeros.replace("TY", "f16"), &[0, 0, 0, 0, 1, 0x80, 0, 0x80]), 1);
    // A NaN equals only a NaN with the same bits.
    let nan = r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"f32","data":"AADAfw=="}"#;
    assert_eq!(mismatches(nan, &0x7fc0_0000u32.to_le_bytes()), 0);
    assert_eq!(mismatches(nan, &0x7fc0_0001u32.to_le_bytes()), 1);
    // The last two of the six bytes are less than one element of four bytes.
    assert_eq!(mismatches(r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"f32","zeros":6}"#, &[0; 6]), 0);
    assert_eq!(mismatches(r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"f32","zeros":6}"#, &[0, 0, 0, 0, 0, 1]), 1);
}

#[test]
fn ignored_words_are_counted_from_the_offset() {
    let json = r#"{"after":0,"buf":0,"off":4,"kind":"eq","ty":"u32","zeros":20,"ignore":{"mod":4,"idx":[1,3]}}"#;
    assert_eq!(mismatches(json, &words(&[9, 0, 7, 0, 7, 0])), 0);
    assert_eq!(mismatches(json, &words(&[9, 1, 7, 0, 7, 0])), 1);
    assert_eq!(mismatches(json, &words(&[9, 0, 7, 0, 7, 1])), 1);
}

#[test]
fn words_are_counted_from_the_offset() {
    let json = r#"{"after":0,"buf":0,"off":4,"kind":"words","words":[[0,5],[2,4294967295]]}"#;
    assert_eq!(mismatches(json, &words(&[0, 5, 1, u32::MAX])), 0);
    assert_eq!(mismatches(json, &words(&[5, 0, 1, u32::MAX])), 1);
}

#[test]
fn lanes_are_read_from_records() {
    let json = r#"{"after":0,"buf":0,"off":4,"kind":"lanes","result":"vec2","stride":12,
        "lanes":[{"off":0,"ty":"f32"},{"off":4,"ty":"i32"}],"cases":[[[1,2],-1],null,[null,7]]}"#;
    let record = |x: f32, y: i32| [x.to_bits(), y.cast_unsigned(), 99];
    let buffer = |a: [u32; 3], b: [u32; 3]| words(&[&[0][..], &a, &[8, 8, 8], &b].concat());
    assert_eq!(mismatches(json, &buffer(record(1.5, -1), record(f32::NAN, 7))), 0);
    assert_eq!(mismatches(json, &buffer(record(f32::NAN, -2), record(0.0, 6))), 3);
    let described = compare(&check(json), &buffer(record(2.5, -1), record(0.0, 7))).described;
    assert_eq!(described, ["record 0 lane 0: expected [1.0, 2.0], got 2.5 (0x40200000)"]);
    // The last record ends with its last lane, without padding.
    assert_eq!(mismatches(json, &buffer(record(1.0, -1), record(0.0, 7))[..36]), 0);
    assert_eq!(mismatches(json, &buffer(record(1.0, -1), record(0.0, 7))[..35]), 1);
}

#[test]
fn alternatives_match_whole() {
    let json = r#"{"after":0,"buf":0,"off":0,"kind":"lanes","stride":8,
        "lanes":[{"off":0,"ty":"u32"},{"off":4,"ty":"u32"}],"cases":[{"any":[[1,2],[3,4]]}]}"#;
    assert_eq!(mismatches(json, &words(&[3, 4])), 0);
    assert_eq!(mismatches(json, &words(&[1, 4])), 1);
    assert_eq!(
        compare(&check(json), &words(&[1, 4])).described,
        ["record 0: expected (1.0, 2.0) or (3.0, 4.0), got (1 (0x00000001), 4 (0x00000004))"]
    );
}

#[test]
fn every_type_of_lane_is_read() {
    let long = |value: u64| words(&[value as u32, (value >> 32) as u32]);
    let table = [
        ("f16", "1.5", half::f16::from_f32(1.5).to_le_bytes().to_vec()),
        ("f32", "3.4028234663852886e+38", f32::MAX.to_le_bytes().to_vec()),
        ("i32", "-2147483648", i32::MIN.to_le_bytes().to_vec()),
        ("u32", "4294967295", u32::MAX.to_le_bytes().to_vec()),
        ("bool", "1", words(&[77])),
        ("bool", "0", words(&[0])),
        ("ai64", r#"{"i64":"-9223372036854775807"}"#, long((i64::MIN + 1).cast_unsigned())),
        ("ai64", "-1", long(u64::MAX)),
        ("af64", "[0.1, 0.1]", long(0.1f64.to_bits())),
    ];
    for (ty, expected, buffer) in table {
        let json = format!(
            r#"{{"after":0,"buf":0,"off":0,"kind":"lanes","stride":8,"lanes":[{{"off":0,"ty":"{ty}"}}],"cases":[[{expected}]]}}"#
        );
        assert_eq!(mismatches(&json, &buffer), 0, "{json}");
        let other = buffer.iter().map(|byte| byte ^ u8::from(ty != "bool" || buffer[0] == 0)).collect::<Vec<_>>();
        assert_eq!(mismatches(&json, &other), usize::from(other != buffer), "{json} {other:?}");
    }
}

#[test]
fn all_mismatches_are_counted_and_few_described() {
    let found = compare(&check(r#"{"after":0,"buf":0,"off":0,"kind":"eq","ty":"u8","zeros":100}"#), &[1; 100]);
    assert_eq!((found.count, found.described.len()), (100, 8));
}
