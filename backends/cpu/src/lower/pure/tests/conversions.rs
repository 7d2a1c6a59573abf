//! Tests of conversions, bit casts, literals and packing.

use naga::{Literal, MathFunction as Mf, Scalar, ScalarKind};

use super::eval::{eval, half_bits, round_f16};
use super::{F64, floats, input, math, math_f32, run};
use crate::ir::Builder;

fn cast(from: Scalar, bits: u64, to: Scalar) -> u64 {
    run(&[input(from, &[bits])], |b, operands| super::super::cast(b, operands[0], to.kind, Some(to.width)))[0]
}

fn bit_cast(from: Scalar, bits: u64, kind: ScalarKind) -> u64 {
    run(&[input(from, &[bits])], |b, operands| super::super::cast(b, operands[0], kind, None))[0]
}

#[test]
fn floats_to_integers_saturate_at_floats() {
    let bits = |x: f32| u64::from(x.to_bits());
    let f32_to = |x: f32, to| cast(Scalar::F32, bits(x), to);
    for x in [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 32767.9, -32768.9, 65535.9] {
        assert_eq!(f32_to(x, Scalar::I16), u64::from((x as i16 as i32).cast_unsigned()), "{x}");
        assert_eq!(f32_to(x, Scalar::U16), u64::from(x as u16), "{x}");
        assert_eq!(f32_to(x, Scalar::I32), u64::from((x as i32).cast_unsigned()), "{x}");
        assert_eq!(f32_to(x, Scalar::U64), x as u64, "{x}");
    }
    for (x, to, expected) in [
        (f32::NAN, Scalar::I32, 0),
        (3e9, Scalar::I32, 2_147_483_520),
        (-3e9, Scalar::I32, 0x8000_0000),
        (f32::INFINITY, Scalar::U32, 4_294_967_040),
        (-1.0, Scalar::U32, 0),
        (1e20, Scalar::I64, (1 << 63) - (1 << 39)),
        (1e20, Scalar::U64, u64::MAX - ((1 << 40) - 1)),
        (-1e20, Scalar::I64, 1 << 63),
        (1e9, Scalar::I16, 0x7fff),
        (-1e9, Scalar::I16, 0xffff_8000),
        (1e9, Scalar::U16, 0xffff),
    ] {
        assert_eq!(f32_to(x, to), expected, "{x} to {to:?}");
    }
    assert_eq!(cast(F64, 1e300_f64.to_bits(), Scalar::I32), 0x7fff_ffff);
    assert_eq!(cast(F64, 1e300_f64.to_bits(), Scalar::I64), (1 << 63) - 1024);
    assert_eq!(cast(F64, (-7.9_f64).to_bits(), Scalar::I16), 0xffff_fff9);
    assert_eq!(cast(Scalar::F16, bits(65504.0), Scalar::I16), 32752);
    assert_eq!(cast(Scalar::F16, bits(65504.0), Scalar::U16), 65504);
    assert_eq!(cast(Scalar::F16, bits(65504.0), Scalar::I32), 65504);
}

#[test]
fn other_conversions() {
    let minus_one = 0xffff_ffff;
    for (from, bits, to, expected) in [
        (Scalar::I32, minus_one, Scalar::I64, u64::MAX),
        (Scalar::U32, minus_one, Scalar::I64, minus_one),
        (Scalar::I16, minus_one, Scalar::U16, 0xffff),
        (Scalar::U16, 0xffff, Scalar::I16, minus_one),
        (Scalar::U16, 0xffff, Scalar::I32, 0xffff),
        (Scalar::I64, 0x1_0001_8000, Scalar::I16, 0xffff_8000),
        (Scalar::BOOL, 1, Scalar::I64, 1),
        (Scalar::BOOL, 1, Scalar::U16, 1),
        (Scalar::BOOL, 1, F64, 1_f64.to_bits()),
        (Scalar::I64, 1 << 40, Scalar::BOOL, 1),
        (Scalar::F32, (-0_f32).to_bits().into(), Scalar::BOOL, 0),
        (Scalar::F32, f32::NAN.to_bits().into(), Scalar::BOOL, 1),
        (Scalar::U16, 0xffff, Scalar::F32, 65535_f32.to_bits().into()),
        (Scalar::I16, minus_one, F64, (-1_f64).to_bits()),
        (Scalar::U64, u64::MAX, Scalar::F32, (u64::MAX as f32).to_bits().into()),
        (Scalar::I32, 2049, Scalar::F16, 2048_f32.to_bits().into()),
        (Scalar::I64, 1 << 40, Scalar::F16, f32::INFINITY.to_bits().into()),
        (Scalar::F32, 65519.0_f32.to_bits().into(), Scalar::F16, 65504_f32.to_bits().into()),
        // The nearest f32 would be a tie between two f16 values, which rounds down to the even one.
        (
            F64,
            (1.0 + 2_f64.powi(-11) + 2_f64.powi(-40)).to_bits(),
            Scalar::F16,
            (1.0 + 2_f32.powi(-10)).to_bits().into(),
        ),
        (F64, 1e-300_f64.to_bits(), Scalar::F16, 0),
        (F64, f64::INFINITY.to_bits(), Scalar::F16, f32::INFINITY.to_bits().into()),
    ] {
        assert_eq!(cast(from, bits, to), expected, "{bits:#x} from {from:?} to {to:?}");
    }
}

#[test]
fn bit_casts_keep_bits() {
    assert_eq!(bit_cast(Scalar::F32, 0x7fc0_1234, ScalarKind::Uint), 0x7fc0_1234);
    assert_eq!(bit_cast(Scalar::I64, 1, ScalarKind::Float), 1);
    assert_eq!(bit_cast(Scalar::U16, 0xffff, ScalarKind::Sint), 0xffff_ffff);
    let minus_two = u64::from((-2_f32).to_bits());
    assert_eq!(bit_cast(Scalar::F16, minus_two, ScalarKind::Uint), 0xc000);
    assert_eq!(bit_cast(Scalar::F16, minus_two, ScalarKind::Sint), 0xffff_c000);
    assert_eq!(bit_cast(Scalar::I16, 0xffff_c000, ScalarKind::Float), minus_two);
}

#[test]
fn literals_live_in_their_registers() {
    for (literal, expected) in [
        (Literal::I16(-2), 0xffff_fffe),
        (Literal::U16(0xfffe), 0xfffe),
        (Literal::I64(-2), u64::MAX - 1),
        (Literal::Bool(true), 1),
        (Literal::F64(0.1), 0.1_f64.to_bits()),
    ] {
        let mut b = Builder::new([1, 1, 1]);
        let value = super::super::literal(&mut b, literal).expect("a concrete literal");
        assert_eq!(eval(b, &[], &[value]), [expected]);
    }
}

#[test]
fn packing_rounds_half_up() {
    let values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 1.0 / 254.0, -1.0 / 254.0, 3.0, -3.0, f32::INFINITY, 1e-40];
    for window in values.windows(4) {
        let four = [floats(Scalar::F32, window)];
        let two = [floats(Scalar::F32, &window[..2])];
        let normal = |low: f32, greatest: f32, bits: u32, count: usize| {
            let field = |(index, x): (usize, &f32)| {
                let number = (0.5 + greatest * x.clamp(low, 1.0)).floor() as i64;
                (number as u64 & ((1 << bits) - 1)) << (index as u32 * bits)
            };
            window[..count].iter().enumerate().map(field).sum::<u64>()
        };
        assert_eq!(math(Mf::Pack4x8snorm, &four), [normal(-1.0, 127.0, 8, 4)], "{window:?}");
        assert_eq!(math(Mf::Pack4x8unorm, &four), [normal(0.0, 255.0, 8, 4)], "{window:?}");
        assert_eq!(math(Mf::Pack2x16snorm, &two), [normal(-1.0, 32767.0, 16, 2)], "{window:?}");
        assert_eq!(math(Mf::Pack2x16unorm, &two), [normal(0.0, 65535.0, 16, 2)], "{window:?}");
        let halves = u64::from(half_bits(round_f16(window[0])) | half_bits(round_f16(window[1])) << 16);
        assert_eq!(math(Mf::Pack2x16float, &two), [halves]);
        assert_eq!(
            math_f32(Mf::Unpack2x16float, &[input(Scalar::U32, &[halves])]),
            [window[0], window[1]].map(round_f16)
        );
    }
    let bytes = [300_i32, -300, -5, 200].map(|x| u64::from(x.cast_unsigned()));
    assert_eq!(math(Mf::Pack4xI8, &[input(Scalar::I32, &bytes)]), [0xc8fb_d42c]);
    assert_eq!(math(Mf::Pack4xI8Clamp, &[input(Scalar::I32, &bytes)]), [0x7ffb_807f]);
    assert_eq!(math(Mf::Pack4xU8, &[input(Scalar::U32, &bytes)]), [0xc8fb_d42c]);
    assert_eq!(math(Mf::Pack4xU8Clamp, &[input(Scalar::U32, &bytes)]), [0xc8ff_ffff]);
}

#[test]
fn unpacking() {
    let word = [input(Scalar::U32, &[0x7f80_81ff])];
    let minus = 0xffff_ff00;
    assert_eq!(math(Mf::Unpack4xI8, &word), [minus | 0xff, minus | 0x81, minus | 0x80, 0x7f]);
    assert_eq!(math(Mf::Unpack4xU8, &word), [0xff, 0x81, 0x80, 0x7f]);
    assert_eq!(math_f32(Mf::Unpack4x8snorm, &word), [-1.0 / 127.0, -1.0, -1.0, 1.0]);
    assert_eq!(math_f32(Mf::Unpack4x8unorm, &word), [1.0, 129.0 / 255.0, 128.0 / 255.0, 127.0 / 255.0]);
    assert_eq!(math_f32(Mf::Unpack2x16snorm, &word), [-32257.0 / 32767.0, 32640.0 / 32767.0]);
    assert_eq!(math_f32(Mf::Unpack2x16unorm, &word), [33279.0 / 65535.0, 32640.0 / 65535.0]);
    let other = [word[0].clone(), input(Scalar::U32, &[0x0203_04ff])];
    let signed = 1 - 127 * 4 - 128 * 3 + 127 * 2;
    assert_eq!(math(Mf::Dot4I8Packed, &other), [u64::from(i32::cast_unsigned(signed))]);
    assert_eq!(math(Mf::Dot4U8Packed, &other), [255 * 255 + 129 * 4 + 128 * 3 + 127 * 2]);
}
