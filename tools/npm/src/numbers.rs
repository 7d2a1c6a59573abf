//! Numbers of JavaScript as bytes of WGSL types.

use anywarp::backend::{Layout, Scalar, ScalarKind, Shape};

/// The bytes of a scalar, a vector or an array of scalars without padding, from its numbers.
///
/// # Errors
/// A text for a type with members, columns or padding, for another count of numbers, and for a number that the type does
/// not have: a fraction, or one out of range.
pub(crate) fn bytes(layout: &Layout, numbers: &[f64]) -> Result<Vec<u8>, String> {
    let (scalar, count) = match &layout.shape {
        Shape::Scalar(scalar) => (*scalar, 1),
        Shape::Vector { length, scalar } => (*scalar, *length as usize),
        Shape::Array { element, count: Some(count), stride } => match element.shape {
            Shape::Scalar(scalar) if *stride == u32::from(scalar.width) => (scalar, *count as usize),
            _ => return Err(format!("{} has parts of its own: set each of them, or pass its bytes", layout.name)),
        },
        _ => return Err(format!("{} has parts of its own: set each of them, or pass its bytes", layout.name)),
    };
    if numbers.len() != count {
        return Err(format!("{} needs {count} numbers, found {}", layout.name, numbers.len()));
    }
    let mut all = Vec::with_capacity(layout.size as usize);
    for number in numbers {
        all.extend(one(scalar, *number).ok_or_else(|| format!("{scalar} has no value {number}"))?);
    }
    Ok(all)
}

/// The bytes of one number; `None` if the type has no such value.
fn one(scalar: Scalar, number: f64) -> Option<Vec<u8>> {
    let whole = |least: f64, most: f64| number.fract() == 0.0 && (least..=most).contains(&number);
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Some((number as f32).to_le_bytes().to_vec()),
        (ScalarKind::Float, 8) => Some(number.to_le_bytes().to_vec()),
        (ScalarKind::Unsigned, 4) if whole(0.0, u32::MAX.into()) => Some((number as u32).to_le_bytes().to_vec()),
        (ScalarKind::Signed, 4) if whole(i32::MIN.into(), i32::MAX.into()) => {
            Some((number as i32).to_le_bytes().to_vec())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anywarp::Element;

    use super::*;

    #[test]
    fn numbers_become_the_type_of_the_kernel() {
        let of = |layout: Layout, numbers: &[f64]| bytes(&layout, numbers);
        assert_eq!(of(f32::layout(), &[1.5]), Ok(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(of(i32::layout(), &[-1.0]), Ok(vec![255; 4]));
        assert_eq!(of(u32::layout(), &[4_294_967_295.0]), Ok(vec![255; 4]));
        assert_eq!(of(<[f32; 3]>::layout(), &[0.0; 3]).map(|bytes| bytes.len()), Ok(12));
    }

    #[test]
    fn other_numbers_are_refused_with_the_reason() {
        for (layout, numbers, wanted) in [
            (u32::layout(), &[-1.0][..], "no value -1"),
            (u32::layout(), &[f64::NAN], "no value NaN"),
            (i32::layout(), &[2_147_483_648.0], "no value 2147483648"),
            (f32::layout(), &[1.0, 2.0], "needs 1 numbers, found 2"),
        ] {
            let error = bytes(&layout, numbers).expect_err(wanted);
            assert!(error.contains(wanted), "{error}");
        }
    }
}
