//! The first few elements of a buffer, as text.

use anywarp::backend::{Layout, Scalar, ScalarKind, Shape};
use half::f16;

/// The default number of array elements to show.
pub(crate) const SHOWN: u64 = 8;

/// The number of bytes at the start of a buffer that suffices to show `most` elements of each array.
pub(crate) fn bytes(layout: &Layout, most: u64) -> u64 {
    let tail =
        layout.unsized_tail().map_or(0, |(offset, stride)| u64::from(stride).saturating_mul(most) + u64::from(offset));
    tail.max(layout.size.into())
}

/// Formats a value of type `layout`, with at most `most` elements of each array. `bytes` is the start of the value;
/// `total` is its whole size in bytes, which determines the length of an unsized array.
pub(crate) fn format(layout: &Layout, bytes: &[u8], total: u64, most: u64) -> String {
    match &layout.shape {
        Shape::Scalar(scalar) => number(*scalar, bytes),
        Shape::Vector { length, scalar } => vector(*length, *scalar, bytes),
        Shape::Matrix { columns, rows, scalar, column_stride } => {
            let column = |index| vector(*rows, *scalar, from(bytes, index * u64::from(*column_stride)));
            format!("[{}]", (0..u64::from(*columns)).map(column).collect::<Vec<_>>().join(", "))
        }
        Shape::Array { element, count, stride } => {
            let stride = u64::from(*stride).max(1);
            let count = count.map_or(total / stride, u64::from);
            let one = |index| format(element, from(bytes, index * stride), u64::from(element.size), most);
            let mut items: Vec<String> = (0..count.min(most)).map(one).collect();
            if count > most {
                items.push("…".to_owned());
            }
            format!("[{}]", items.join(", "))
        }
        Shape::Struct { fields } => {
            let one = |field: &anywarp::backend::Field| {
                let offset = u64::from(field.offset);
                let value = format(&field.layout, from(bytes, offset), total.saturating_sub(offset), most);
                format!("{}: {value}", field.name)
            };
            format!("{{ {} }}", fields.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

fn from(bytes: &[u8], offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default()
}

fn vector(length: u32, scalar: Scalar, bytes: &[u8]) -> String {
    let one = |index| number(scalar, from(bytes, index * u64::from(scalar.width)));
    format!("({})", (0..u64::from(length)).map(one).collect::<Vec<_>>().join(", "))
}

fn number(scalar: Scalar, bytes: &[u8]) -> String {
    let Some(bytes) = bytes.get(..usize::from(scalar.width)) else { return "…".to_owned() };
    match (scalar.kind, bytes) {
        (ScalarKind::Float, &[a, b]) => f16::from_le_bytes([a, b]).to_string(),
        (ScalarKind::Float, &[a, b, c, d]) => {
            float(f64::from(f32::from_le_bytes([a, b, c, d])), f32::from_le_bytes([a, b, c, d]))
        }
        (ScalarKind::Float, &[a, b, c, d, e, f, g, h]) => {
            let value = f64::from_le_bytes([a, b, c, d, e, f, g, h]);
            float(value, value)
        }
        (kind, bytes) => integer(kind, bytes).to_string(),
    }
}

/// Formats very large and very small numbers in scientific notation.
fn float(magnitude: f64, value: impl std::fmt::Display + std::fmt::LowerExp) -> String {
    let magnitude = magnitude.abs();
    if magnitude != 0.0 && magnitude.is_finite() && !(1e-4..1e9).contains(&magnitude) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

fn integer(kind: ScalarKind, bytes: &[u8]) -> i128 {
    let negative = kind == ScalarKind::Signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::tests::{F32, U32, array, scalar, structure, vector};

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn values_are_shown_by_their_type() {
        let signed = Scalar { kind: ScalarKind::Signed, width: 4 };
        let half = Scalar { kind: ScalarKind::Float, width: 2 };
        let body = structure("Body", vec![("at", vector(3, F32)), ("n", scalar(U32))]);
        let bytes = [floats(&[1.0, 2.5, -3.0]), 7_u32.to_le_bytes().to_vec()].concat();
        let table = [
            (scalar(signed), (-5_i32).to_le_bytes().to_vec(), "-5"),
            (scalar(half), f16::from_f32(0.5).to_le_bytes().to_vec(), "0.5"),
            (scalar(F32), floats(&[1e20]), "1e20"),
            (scalar(F32), floats(&[0.1]), "0.1"),
            (scalar(F32), floats(&[f32::NAN]), "NaN"),
            (body.clone(), bytes.clone(), "{ at: (1, 2.5, -3), n: 7 }"),
            (array(body, None), bytes, "[{ at: (1, 2.5, -3), n: 7 }]"),
            (array(scalar(F32), Some(2)), floats(&[1.0, 2.0]), "[1, 2]"),
            (array(vector(3, F32), Some(2)), floats(&[1., 2., 3., 0., 4., 5., 6., 0.]), "[(1, 2, 3), (4, 5, 6)]"),
        ];
        for (layout, bytes, expected) in table {
            assert_eq!(format(&layout, &bytes, bytes.len() as u64, SHOWN), expected, "{}", layout.name);
        }
    }

    #[test]
    fn long_arrays_and_missing_bytes_end_in_an_ellipsis() {
        let layout = array(scalar(F32), None);
        assert_eq!(format(&layout, &floats(&[1.0; 100]), 400, SHOWN), "[1, 1, 1, 1, 1, 1, 1, 1, …]");
        assert_eq!(format(&layout, &floats(&[1.0; 100]), 400, 2), "[1, 1, …]");
        assert_eq!(format(&layout, &floats(&[1.0]), 8, SHOWN), "[1, …]");
        assert_eq!(format(&layout, &[], 0, SHOWN), "[]");
        assert_eq!((bytes(&layout, 3), bytes(&array(scalar(F32), Some(9)), 3)), (12, 36));
    }
}
