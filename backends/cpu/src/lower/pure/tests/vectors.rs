//! Tests of functions of whole vectors and matrices.

use naga::{BinaryOperator as Bo, MathFunction as Mf, RelationalFunction, Scalar, TypeInner};

use super::{Input, binary, floats, input, math, math_f32, run, size};

fn matrix(columns: usize, rows: usize, values: &[f32]) -> Input {
    let (_, bits) = floats(Scalar::F32, values);
    (TypeInner::Matrix { columns: size(columns), rows: size(rows), scalar: Scalar::F32 }, bits)
}

fn vector(values: &[f32]) -> Input {
    floats(Scalar::F32, values)
}

fn binary_f32(op: Bo, left: &Input, right: &Input) -> Vec<f32> {
    binary(op, left, right).into_iter().map(|bits| f32::from_bits(bits as u32)).collect()
}

#[test]
fn products_with_matrices() {
    // The matrix has two columns and three rows.
    let m = matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let product = |left: &Input, right: &Input| binary_f32(Bo::Multiply, left, right);
    assert_eq!(product(&m, &vector(&[10.0, 1.0])), [14.0, 25.0, 36.0]);
    assert_eq!(product(&vector(&[1.0, 10.0, 100.0]), &m), [321.0, 654.0]);
    let n = matrix(3, 2, &[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
    assert_eq!(product(&m, &n), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 10.0, 14.0, 18.0]);
    assert_eq!(product(&m, &vector(&[2.0])), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    assert_eq!(product(&vector(&[2.0]), &vector(&[1.0, 3.0])), [2.0, 6.0]);
    assert_eq!(binary_f32(Bo::Subtract, &m, &m), [0.0; 6]);
    assert_eq!(math_f32(Mf::Transpose, &[m]), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn determinants_and_inverses() {
    let m2 = [3.0, 1.0, 4.0, 2.0];
    let m3 = [2.0, -1.0, 0.0, 1.0, 3.0, 5.0, -2.0, 4.0, 1.0];
    let m4 = [1.0, 2.0, 0.0, -1.0, 3.0, 1.0, 4.0, 2.0, 0.0, 5.0, 1.0, 1.0, 2.0, 0.0, -3.0, 4.0];
    for (n, values, determinant) in [(2, &m2[..], 2.0), (3, &m3[..], -23.0), (4, &m4[..], -236.0)] {
        let m = matrix(n, n, values);
        assert_eq!(math_f32(Mf::Determinant, std::slice::from_ref(&m)), [determinant]);
        let inverse = math_f32(Mf::Inverse, std::slice::from_ref(&m));
        let product = binary_f32(Bo::Multiply, &m, &matrix(n, n, &inverse));
        for (index, entry) in product.iter().enumerate() {
            let expected = if index % (n + 1) == 0 { 1.0 } else { 0.0 };
            assert!((entry - expected).abs() < 1e-5, "{product:?}");
        }
    }
}

#[test]
fn geometry() {
    let (x, y) = (vector(&[1.0, 2.0, 2.0]), vector(&[3.0, -1.0, 4.0]));
    assert_eq!(math_f32(Mf::Dot, &[x.clone(), y.clone()]), [9.0]);
    assert_eq!(math_f32(Mf::Cross, &[x.clone(), y.clone()]), [10.0, 2.0, -7.0]);
    assert_eq!(math_f32(Mf::Length, std::slice::from_ref(&x)), [3.0]);
    assert_eq!(math_f32(Mf::Length, &[vector(&[-1e30])]), [1e30]);
    assert_eq!(math_f32(Mf::Distance, &[x.clone(), vector(&[1.0, 5.0, 6.0])]), [5.0]);
    assert_eq!(math_f32(Mf::Normalize, std::slice::from_ref(&x)), [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(math_f32(Mf::FaceForward, &[x.clone(), x.clone(), y.clone()]), [-1.0, -2.0, -2.0]);
    assert_eq!(math_f32(Mf::FaceForward, &[x.clone(), x.clone(), vector(&[-3.0, 0.0, 0.0])]), [1.0, 2.0, 2.0]);
    let up = vector(&[0.0, 1.0]);
    assert_eq!(math_f32(Mf::Reflect, &[vector(&[3.0, -4.0]), up.clone()]), [3.0, 4.0]);
    let refract = |ratio: f32| math_f32(Mf::Refract, &[vector(&[0.6, -0.8]), up.clone(), vector(&[ratio])]);
    assert_eq!(refract(2.0), [0.0, 0.0]);
    assert!((refract(1.0)[0] - 0.6).abs() < 1e-6 && (refract(1.0)[1] + 0.8).abs() < 1e-6);
    assert_eq!(math_f32(Mf::Mix, &[up.clone(), vector(&[2.0, 3.0]), vector(&[0.5])]), [1.0, 2.0]);
}

#[test]
fn integer_dot_products_wrap() {
    let wide = input(Scalar::U32, &[0xffff_ffff, 2]);
    assert_eq!(math(Mf::Dot, &[wide.clone(), wide]), [5]);
    let narrow = input(Scalar::I16, &[0x7fff, 0x7fff]);
    assert_eq!(math(Mf::Dot, &[narrow.clone(), narrow]), [2]);
}

#[test]
fn relations() {
    let relation = |fun, operand: Input| run(&[operand], |b, operands| super::super::relational(b, fun, operands[0]));
    let truths = |bits: &[u64]| input(Scalar::BOOL, bits);
    assert_eq!(relation(RelationalFunction::All, truths(&[1, 1, 0])), [0]);
    assert_eq!(relation(RelationalFunction::Any, truths(&[0, 1, 0])), [1]);
    assert_eq!(relation(RelationalFunction::Any, truths(&[0])), [0]);
    assert_eq!(relation(RelationalFunction::IsNan, vector(&[f32::NAN, f32::INFINITY])), [1, 0]);
    assert_eq!(relation(RelationalFunction::IsInf, vector(&[f32::NAN, f32::NEG_INFINITY])), [0, 1]);
    let not = |op, operand: Input| run(&[operand], |b, operands| super::super::unary(b, op, operands[0]));
    assert_eq!(not(naga::UnaryOperator::LogicalNot, truths(&[0, 1])), [1, 0]);
    assert_eq!(not(naga::UnaryOperator::BitwiseNot, input(Scalar::U16, &[1])), [0xfffe]);
    assert_eq!(not(naga::UnaryOperator::Negate, input(Scalar::I16, &[0xffff_8000])), [0xffff_8000]);
}

#[test]
fn wrong_shapes_are_errors() {
    let mut b = crate::ir::Builder::new([1, 1, 1]);
    let value = b.f32(1.0);
    let three = TypeInner::Vector { size: size(3), scalar: Scalar::F32 };
    let short = super::Operand { inner: &three, values: &[value] };
    assert!(super::super::math(&mut b, Mf::Length, &[short]).is_err());
    let scalar = TypeInner::Scalar(Scalar::F32);
    let single = super::Operand { inner: &scalar, values: &[value] };
    assert!(super::super::math(&mut b, Mf::Cross, &[single, single]).is_err());
    assert!(super::super::math(&mut b, Mf::Pow, &[single]).is_err());
    assert!(super::super::math(&mut b, Mf::CountOneBits, &[single]).is_err());
}
