//! Literals are exact.

use naga::Literal;

use super::{hexadecimal, literal};

fn expect(value: Literal, wanted: &str) {
    assert_eq!(literal(value).unwrap(), wanted, "{value:?}");
}

#[test]
fn integers() {
    expect(Literal::I32(-5), "(-5)");
    expect(Literal::I32(i32::MIN), "(-2147483647 - 1)");
    expect(Literal::I32(i32::MAX), "2147483647");
    expect(Literal::U32(u32::MAX), "4294967295u");
    expect(Literal::I64(i64::MIN), "(-9223372036854775807ll - 1)");
    expect(Literal::I64(-1), "(-1ll)");
    expect(Literal::U64(u64::MAX), "18446744073709551615ull");
    expect(Literal::I16(-3), "i16(-3)");
    expect(Literal::U16(3), "u16(3)");
    expect(Literal::Bool(true), "true");
}

#[test]
fn floats() {
    expect(Literal::F32(0.0), "0.0f");
    expect(Literal::F32(-0.0), "(-0.0f)");
    expect(Literal::F32(1.5), "1.5f");
    expect(Literal::F32(-2.25), "(-2.25f)");
    expect(Literal::F32(0.1), "0x1.99999ap-4f");
    expect(Literal::F32(f32::MAX), "0x1.fffffep127f");
    expect(Literal::F32(f32::from_bits(1)), "0x1p-149f");
    expect(Literal::F32(f32::INFINITY), "aw_bitcast<f32>(0x7f800000u)");
    expect(Literal::F32(f32::NEG_INFINITY), "aw_bitcast<f32>(0xff800000u)");
    expect(Literal::F32(f32::from_bits(0x7fc0_0001)), "aw_bitcast<f32>(0x7fc00001u)");
    expect(Literal::F64(3.0), "3.0");
    expect(Literal::F64(0.1), "0x1.999999999999ap-4");
    expect(Literal::F64(f64::from_bits(1)), "0x0.0000000000001p-1022");
    expect(Literal::F64(f64::INFINITY), "aw_bitcast<f64>(0x7ff0000000000000ull)");
}

#[test]
fn hexadecimal_digits_give_the_value_back() {
    let mut bits = 0x1234_5678_u32;
    for _ in 0..2000 {
        bits = bits.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let value = f32::from_bits(bits & 0x7fff_ffff);
        if value.is_finite() {
            assert_eq!(read(&hexadecimal(f64::from(value), 24)).to_bits(), f64::from(value).to_bits());
        }
    }
}

/// Parses a number in C++'s hexadecimal notation.
fn read(text: &str) -> f64 {
    let (digits, exponent) = text.strip_prefix("0x").and_then(|rest| rest.split_once('p')).unwrap();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let significand = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    significand as f64 * 2_f64.powi(exponent - 4 * fraction.len() as i32)
}
