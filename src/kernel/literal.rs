//! Rust literals of the type that a field expects.

use anywarp_backend::{Layout, Scalar, ScalarKind, Shape};

/// The text of an error for a number whose type differs from that of the field: it shows the number as a literal of the
/// field's type, if possible.
pub(super) fn remedy(field: &Layout, given: Option<Scalar>, bytes: &[u8]) -> Option<String> {
    let (Shape::Scalar(wanted), Some(given)) = (&field.shape, given) else { return None };
    let number = number(given, bytes)?;
    let (got, ty) = (given.to_string(), wanted.to_string());
    let whole = number.fract() == 0.0;
    let literal = match wanted.kind {
        ScalarKind::Float if wanted.width == 2 => format!("half::f16::from_f32({number:?})"),
        ScalarKind::Float => format!("{number:?}{ty}"),
        ScalarKind::Unsigned if whole && number >= 0.0 => format!("{number}{ty}"),
        ScalarKind::Signed if whole => format!("{number}{ty}"),
        _ => return Some(format!("the field is {ty}, got a value of {got}, {number}; pass a valid {ty}")),
    };
    Some(format!("the field is {ty}, got a value of {got}; write {literal}, or convert it with `as {ty}`"))
}

/// The value, if an `f64` represents it exactly.
fn number(scalar: Scalar, bytes: &[u8]) -> Option<f64> {
    Some(match (scalar.kind, bytes) {
        (ScalarKind::Float, [..]) if bytes.len() == 8 => f64::from_ne_bytes(bytes.try_into().ok()?),
        (ScalarKind::Float, [..]) if bytes.len() == 4 => f64::from(f32::from_ne_bytes(bytes.try_into().ok()?)),
        (ScalarKind::Signed, [..]) if bytes.len() == 4 => f64::from(i32::from_ne_bytes(bytes.try_into().ok()?)),
        (ScalarKind::Unsigned, [..]) if bytes.len() == 4 => f64::from(u32::from_ne_bytes(bytes.try_into().ok()?)),
        (ScalarKind::Signed, [..]) if bytes.len() == 8 => exact(i64::from_ne_bytes(bytes.try_into().ok()?).into())?,
        (ScalarKind::Unsigned, [..]) if bytes.len() == 8 => exact(u64::from_ne_bytes(bytes.try_into().ok()?).into())?,
        _ => return None,
    })
}

fn exact(number: i128) -> Option<f64> {
    (number.unsigned_abs() < 1 << 53).then_some(number as f64)
}

#[cfg(test)]
mod tests {
    use crate::element::Element;

    use super::*;

    fn said<T: Element>(field: &Layout, value: T) -> Option<String> {
        remedy(field, T::SCALAR, bytemuck::bytes_of(&value))
    }

    #[test]
    fn a_number_is_written_in_the_type_of_the_field() {
        let (float, unsigned, signed) = (f32::layout(), u32::layout(), i32::layout());
        let table = [
            (said(&float, 3.0f64), "the field is f32, got a value of f64; write 3.0f32, or convert it with `as f32`"),
            (said(&float, 3i32), "the field is f32, got a value of i32; write 3.0f32, or convert it with `as f32`"),
            (said(&float, 0.1f64), "the field is f32, got a value of f64; write 0.1f32, or convert it with `as f32`"),
            (said(&unsigned, 3i32), "the field is u32, got a value of i32; write 3u32, or convert it with `as u32`"),
            (said(&unsigned, 3u64), "the field is u32, got a value of u64; write 3u32, or convert it with `as u32`"),
            (said(&unsigned, -3i32), "the field is u32, got a value of i32, -3; pass a valid u32"),
            (said(&unsigned, 1.5f32), "the field is u32, got a value of f32, 1.5; pass a valid u32"),
            (said(&signed, 4u32), "the field is i32, got a value of u32; write 4i32, or convert it with `as i32`"),
        ];
        for (said, expected) in table {
            assert_eq!(said.as_deref(), Some(expected));
        }
        assert_eq!(said::<[u32; 2]>(&float, [1, 2]), None);
    }
}
