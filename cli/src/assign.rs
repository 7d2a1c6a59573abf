//! `--set`: converts text to the bytes of a WGSL type, and finds the parts of a variable that have no value.

use anywarp::backend::{Layout, Scalar, ScalarKind, Shape};
use half::f16;

/// Returns the bytes of `text` as a value of type `layout`: one number for each scalar in it, separated by commas, in
/// memory order. Padding is zero.
///
/// # Errors
/// An error text with the expected and the actual value, without the path.
pub(crate) fn encode(layout: &Layout, text: &str) -> Result<Vec<u8>, String> {
    let mut places = Vec::new();
    scalars(layout, 0, &mut places);
    let values: Vec<&str> = text.split(',').map(str::trim).collect();
    if values.len() != places.len() {
        let plural = if places.len() == 1 { "" } else { "s" };
        let (name, count) = (&layout.name, places.len());
        return Err(format!("expected {name} ({count} number{plural}), found {} in '{text}'", values.len()));
    }
    let mut bytes = vec![0; layout.size as usize];
    for ((offset, scalar), value) in places.into_iter().zip(values) {
        let encoded = encode_scalar(scalar, value)?;
        bytes[offset..offset + encoded.len()].copy_from_slice(&encoded);
    }
    Ok(bytes)
}

/// The number of scalars in a value of this type.
pub(crate) fn scalar_count(layout: &Layout) -> usize {
    let mut places = Vec::new();
    scalars(layout, 0, &mut places);
    places.len()
}

/// The parts of the variable `path` that none of the `assigned` paths covers, as path and type. A part without any
/// assignment is one entry, whatever its size.
pub(crate) fn uncovered<'l>(layout: &'l Layout, path: &str, assigned: &[&str]) -> Vec<(String, &'l Layout)> {
    let mut open = Vec::new();
    find_uncovered(layout, path, assigned, true, &mut open);
    open
}

fn find_uncovered<'l>(
    layout: &'l Layout,
    path: &str,
    assigned: &[&str],
    root: bool,
    open: &mut Vec<(String, &'l Layout)>,
) {
    if assigned.contains(&path) {
        return;
    }
    let inside = |other: &&str| other.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']));
    let touched = assigned.iter().any(inside);
    match &layout.shape {
        // The fields of a whole struct are listed even if none is assigned, because users set fields.
        Shape::Struct { fields } if touched || root => {
            for field in fields {
                find_uncovered(&field.layout, &format!("{path}.{}", field.name), assigned, false, open);
            }
        }
        Shape::Array { element, count: Some(count), .. } if touched => {
            for index in 0..*count {
                find_uncovered(element, &format!("{path}[{index}]"), assigned, false, open);
            }
        }
        _ => open.push((path.to_owned(), layout)),
    }
}

/// Collects the offset of each scalar of a type.
fn scalars(layout: &Layout, base: usize, out: &mut Vec<(usize, Scalar)>) {
    let mut run = |base: usize, length: u32, scalar: Scalar| {
        out.extend((0..length as usize).map(|index| (base + index * usize::from(scalar.width), scalar)));
    };
    match &layout.shape {
        Shape::Scalar(scalar) => run(base, 1, *scalar),
        Shape::Vector { length, scalar } => run(base, *length, *scalar),
        Shape::Matrix { columns, rows, scalar, column_stride } => {
            for column in 0..*columns as usize {
                run(base + column * *column_stride as usize, *rows, *scalar);
            }
        }
        Shape::Array { element, count, stride } => {
            for index in 0..count.unwrap_or(0) as usize {
                scalars(element, base + index * *stride as usize, out);
            }
        }
        Shape::Struct { fields } => {
            for field in fields {
                scalars(&field.layout, base + field.offset as usize, out);
            }
        }
    }
}

fn encode_scalar(scalar: Scalar, text: &str) -> Result<Vec<u8>, String> {
    match scalar.kind {
        ScalarKind::Float => encode_float(scalar, text),
        ScalarKind::Signed | ScalarKind::Unsigned => encode_integer(scalar, text),
    }
}

fn encode_float(scalar: Scalar, text: &str) -> Result<Vec<u8>, String> {
    let exact: f64 = match hexadecimal(text) {
        Some(integer) => integer as f64,
        None => text.parse().map_err(|_| format!("expected {scalar}, found '{text}'"))?,
    };
    // Decimal text is rounded once, directly to the target width.
    let single = text.parse().unwrap_or(exact as f32);
    let (finite, bytes) = match scalar.width {
        2 => {
            let value = f16::from_f64(exact);
            (value.is_finite(), value.to_le_bytes().to_vec())
        }
        4 => (single.is_finite(), single.to_le_bytes().to_vec()),
        _ => (exact.is_finite(), exact.to_le_bytes().to_vec()),
    };
    let meant = text.trim_start_matches(['+', '-']).starts_with(['i', 'I', 'n', 'N']);
    if finite || meant { Ok(bytes) } else { Err(format!("expected {scalar}, '{text}' is out of its range")) }
}

fn encode_integer(scalar: Scalar, text: &str) -> Result<Vec<u8>, String> {
    let value =
        hexadecimal(text).or_else(|| text.parse().ok()).ok_or_else(|| format!("expected {scalar}, found '{text}'"))?;
    let bits = u32::from(scalar.width) * 8;
    let (least, most) = match scalar.kind {
        ScalarKind::Signed => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        _ => (0, (1_i128 << bits) - 1),
    };
    if !(least..=most).contains(&value) {
        return Err(format!("expected {scalar}, '{text}' is outside {least} to {most}"));
    }
    Ok(value.to_le_bytes()[..usize::from(scalar.width)].to_vec())
}

/// Parses an integer written as `0x1f` or `-0x1f`; returns `None` for other texts.
fn hexadecimal(text: &str) -> Option<i128> {
    let (sign, magnitude) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let digits = magnitude.strip_prefix("0x").or_else(|| magnitude.strip_prefix("0X"))?;
    // The parser of u64 refuses a second `-`, and numbers that no type can represent, but accepts a `+`.
    let value = if digits.starts_with('+') { None } else { u64::from_str_radix(digits, 16).ok() };
    value.map(|value| sign * i128::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::tests::{F32, U32, array, scalar, structure, vector};

    const I32: Scalar = Scalar { kind: ScalarKind::Signed, width: 4 };
    const F16: Scalar = Scalar { kind: ScalarKind::Float, width: 2 };
    const U64: Scalar = Scalar { kind: ScalarKind::Unsigned, width: 8 };

    #[test]
    fn scalars_are_typed_by_the_kernel() {
        let table = [
            (F32, "3", 3.0_f32.to_le_bytes().to_vec()),
            (F32, "-0.5", (-0.5_f32).to_le_bytes().to_vec()),
            (F32, "1e-3", 1e-3_f32.to_le_bytes().to_vec()),
            (F32, "0x10", 16.0_f32.to_le_bytes().to_vec()),
            (F32, "inf", f32::INFINITY.to_le_bytes().to_vec()),
            (F16, "0.5", f16::from_f32(0.5).to_le_bytes().to_vec()),
            (U32, "4294967295", u32::MAX.to_le_bytes().to_vec()),
            (U32, "0xFF", 255_u32.to_le_bytes().to_vec()),
            (I32, "-0x80000000", i32::MIN.to_le_bytes().to_vec()),
            (I32, "+7", 7_i32.to_le_bytes().to_vec()),
            (U64, "0xffffffffffffffff", u64::MAX.to_le_bytes().to_vec()),
        ];
        for (kind, text, bytes) in table {
            assert_eq!(encode(&scalar(kind), text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn ill_typed_values_name_the_type() {
        let table = [
            (U32, "-1", "u32, '-1' is outside 0 to 4294967295"),
            (U32, "4294967296", "outside 0 to"),
            (U32, "0.5", "expected u32, found '0.5'"),
            (I32, "2147483648", "outside -2147483648 to 2147483647"),
            (F32, "1e40", "expected f32, '1e40' is out of its range"),
            (F32, "three", "expected f32, found 'three'"),
            (F16, "70000", "f16"),
            (F32, "", "expected f32, found ''"),
            (U32, "0x+1", "expected u32"),
            (F32, "1,2", "expected f32 (1 number), found 2 in '1,2'"),
        ];
        for (kind, text, expected) in table {
            let message = encode(&scalar(kind), text).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }

    #[test]
    fn lists_fill_vectors_matrices_arrays_and_structs_in_memory_order() {
        let floats = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
        assert_eq!(encode(&vector(3, F32), "1, 2, 3"), Ok(floats(&[1.0, 2.0, 3.0])));

        let matrix = Layout {
            name: "mat2x3<f32>".to_owned(),
            size: 32,
            align: 16,
            shape: Shape::Matrix { columns: 2, rows: 3, scalar: F32, column_stride: 16 },
        };
        assert_eq!(encode(&matrix, "1,2,3,4,5,6"), Ok(floats(&[1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0])));

        let padded = array(vector(3, F32), Some(2));
        assert_eq!(encode(&padded, "1,2,3,4,5,6"), Ok(floats(&[1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0])));

        let mixed = structure("Params", vec![("a", scalar(F32)), ("n", scalar(U32))]);
        assert_eq!(encode(&mixed, "1.5,7"), Ok([1.5_f32.to_le_bytes(), 7_u32.to_le_bytes()].concat()));
        assert!(encode(&mixed, "1.5,7.5").is_err());
    }

    #[test]
    fn unassigned_parts_are_listed() {
        let params =
            structure("Params", vec![("a", scalar(F32)), ("v", vector(3, F32)), ("w", array(vector(4, F32), Some(2)))]);
        let open = |assigned: &[&str]| -> Vec<String> {
            uncovered(&params, "params", assigned).into_iter().map(|(path, _)| path).collect()
        };
        assert_eq!(open(&[]), ["params.a", "params.v", "params.w"]);
        assert_eq!(open(&["params"]), [""; 0]);
        assert_eq!(open(&["params.a", "params.v", "params.w"]), [""; 0]);
        assert_eq!(open(&["params.a", "params.w[0]"]), ["params.v", "params.w[1]"]);
    }
}
