//! Tests of integers: wrapping arithmetic, shifts, bit functions.

use naga::{BinaryOperator as Bo, MathFunction as Mf, Scalar};

use super::{binary, input, math};

const EDGES: [i64; 14] =
    [0, 1, -1, 2, -2, 7, 127, -128, 0x7fff, -0x8000, 0x7fff_ffff, -0x8000_0000, i64::MAX, i64::MIN];

const INTEGERS: [Scalar; 6] = [Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];

/// The number that the low bits of `x` represent in an integer type.
fn meaning(scalar: Scalar, x: i64) -> i128 {
    let signed = scalar.kind == naga::ScalarKind::Sint;
    match (scalar.width, signed) {
        (2, true) => i128::from(x as i16),
        (2, false) => i128::from(x as u16),
        (4, true) => i128::from(x as i32),
        (4, false) => i128::from(x as u32),
        (_, true) => i128::from(x),
        (_, false) => i128::from(x.cast_unsigned()),
    }
}

/// The bits of the register that contains the number.
fn register(scalar: Scalar, x: i128) -> u64 {
    if scalar.width == 8 { x as u64 } else { u64::from(x as u32) }
}

fn wrapped(scalar: Scalar, x: i128) -> u64 {
    register(scalar, meaning(scalar, x as i64))
}

#[test]
fn operators_wrap_and_never_trap() {
    for scalar in INTEGERS {
        let width = i128::from(scalar.width) * 8;
        for (x, y) in EDGES.into_iter().flat_map(|x| EDGES.map(|y| (x, y))) {
            let (u, v) = (meaning(scalar, x), meaning(scalar, y));
            let operand = |x| input(scalar, &[register(scalar, x)]);
            let (left, right) = (operand(u), operand(v));
            let check = |op, expected: i128| {
                assert_eq!(binary(op, &left, &right), [wrapped(scalar, expected)], "{u} {op:?} {v} as {scalar:?}");
            };
            check(Bo::Add, u + v);
            check(Bo::Subtract, u - v);
            check(Bo::Multiply, u.wrapping_mul(v));
            check(Bo::Divide, if v == 0 { u } else { u / v });
            check(Bo::Modulo, if v == 0 { 0 } else { u % v });
            check(Bo::And, u & v);
            check(Bo::InclusiveOr, u | v);
            check(Bo::ExclusiveOr, u ^ v);
            assert_eq!(binary(Bo::Less, &left, &right), [u64::from(u < v)]);
            assert_eq!(binary(Bo::GreaterEqual, &left, &right), [u64::from(u >= v)]);
            let amount = input(Scalar::U32, &[u64::from(y as u32)]);
            let by = i128::from(y as u32) % width;
            assert_eq!(binary(Bo::ShiftLeft, &left, &amount), [wrapped(scalar, u << by)]);
            assert_eq!(binary(Bo::ShiftRight, &left, &amount), [wrapped(scalar, u >> by)], "{u} >> {by}: {scalar:?}");
            assert_eq!(math(Mf::Min, &[left.clone(), right.clone()]), [wrapped(scalar, u.min(v))]);
            assert_eq!(math(Mf::Max, &[left.clone(), right.clone()]), [wrapped(scalar, u.max(v))]);
        }
    }
}

#[test]
fn bit_functions_know_the_width() {
    for scalar in INTEGERS {
        let width = u32::from(scalar.width) * 8;
        for number in EDGES.map(|x| meaning(scalar, x)) {
            let operand = input(scalar, &[register(scalar, number)]);
            let check = |fun, expected: i128| {
                assert_eq!(
                    math(fun, std::slice::from_ref(&operand)),
                    [wrapped(scalar, expected)],
                    "{fun:?} {number} {scalar:?}"
                );
            };
            // The bits of the type without extension, at the top of 64 bits.
            let top = (number as u64) << (64 - width);
            check(Mf::Abs, number.abs());
            check(Mf::Sign, number.signum());
            check(Mf::CountOneBits, top.count_ones().into());
            check(Mf::CountLeadingZeros, top.leading_zeros().min(width).into());
            check(Mf::CountTrailingZeros, (number as u64).trailing_zeros().min(width).into());
            check(Mf::ReverseBits, top.reverse_bits().into());
            check(Mf::FirstTrailingBit, if number == 0 { -1 } else { (number as u64).trailing_zeros().into() });
            let significant = if number < 0 { !number } else { number } as u64;
            check(Mf::FirstLeadingBit, 63 - i128::from(significant.leading_zeros()));
        }
    }
}

#[test]
fn ranges_of_bits_are_clamped() {
    for scalar in INTEGERS {
        let width = u32::from(scalar.width) * 8;
        for number in EDGES.map(|x| meaning(scalar, x)) {
            for (offset, count) in [0, 1, 5, 15, 16, 17, 31, 32, 63, 64, u32::MAX]
                .into_iter()
                .flat_map(|offset| [0, 1, 4, 16, 31, 32, 33, 64, u32::MAX].map(|count| (offset, count)))
            {
                let o = offset.min(width);
                let c = count.min(width - o);
                let mask = ((1_i128 << c) - 1) << o;
                let range = [input(Scalar::U32, &[offset.into()]), input(Scalar::U32, &[count.into()])];
                let operand = input(scalar, &[register(scalar, number)]);

                let low = (number & mask) >> o;
                let negative = scalar.kind == naga::ScalarKind::Sint && c > 0 && low >> (c - 1) & 1 == 1;
                let expected = if negative { low - (1 << c) } else { low };
                let arguments = [operand.clone(), range[0].clone(), range[1].clone()];
                let context = format!("{number} {offset} {count} {scalar:?}");
                assert_eq!(math(Mf::ExtractBits, &arguments), [wrapped(scalar, expected)], "{context}");

                let new = meaning(scalar, 0x5a5a_a5a5_1234_fedc);
                let expected = (number & !mask) | ((new << o) & mask);
                let new = input(scalar, &[register(scalar, new)]);
                let arguments = [operand, new, range[0].clone(), range[1].clone()];
                assert_eq!(math(Mf::InsertBits, &arguments), [wrapped(scalar, expected)], "{context}");
            }
        }
    }
}
