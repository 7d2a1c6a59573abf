//! The comparison of a candidate's results with those of the default.

use anywarp_backend::{Layout, Scalar, ScalarKind, Shape};

/// Compares the contents of a variable with the expected ones; returns a description of the first difference.
///
/// `tolerance` is relative to the number itself, or to the root mean square of all numbers of its type in the variable:
/// sums of different order have errors relative to their addends, which may be far greater than the sum.
pub(in crate::tune) fn difference(
    name: &str,
    layout: &Layout,
    got: &[u8],
    expected: &[u8],
    tolerance: Option<f64>,
) -> Option<String> {
    if got == expected {
        return None;
    }
    let mut scalars = Vec::new();
    collect(layout, 0, &mut scalars);
    let (head, stride) = layout.unsized_tail().unwrap_or((layout.size, layout.size.max(1)));
    let (head, stride) = (head as usize, stride as usize);
    // Members before the runtime-sized array occur once; the array repeats its first element.
    let repeats =
        if layout.unsized_tail().is_some() { expected.len().saturating_sub(head).div_ceil(stride) } else { 1 };
    let places = || {
        let once = scalars.iter().filter(|(offset, _)| *offset < head || repeats == 1);
        let many = (0..if repeats == 1 { 0 } else { repeats })
            .flat_map(|at| scalars.iter().filter(|(offset, _)| *offset >= head).map(move |place| (at, place)));
        once.map(|(offset, scalar)| (*offset, *scalar))
            .chain(many.map(move |(at, (offset, scalar))| (offset + at * stride, *scalar)))
    };
    let mut places = Places { all: &places, got, expected };
    places.first_difference(name, tolerance)
}

struct Places<'a, F> {
    all: &'a F,
    got: &'a [u8],
    expected: &'a [u8],
}

impl<F: Fn() -> I, I: Iterator<Item = (usize, Scalar)>> Places<'_, F> {
    fn first_difference(&mut self, name: &str, tolerance: Option<f64>) -> Option<String> {
        let mut typical: Vec<(Scalar, f64)> = Vec::new();
        for (at, scalar) in (self.all)() {
            let (Some(got), Some(expected)) = (bits(self.got, at, scalar), bits(self.expected, at, scalar)) else {
                continue;
            };
            if got == expected {
                continue;
            }
            if scalar.kind != ScalarKind::Float {
                return Some(format!(
                    "{name} at byte {at}: expected {}, got {}",
                    integer(expected, scalar),
                    integer(got, scalar)
                ));
            }
            let (got, expected) = (float(got, scalar), float(expected, scalar));
            let known = typical.iter().find(|(known, _)| *known == scalar).map(|(_, rms)| *rms);
            let typical = known.unwrap_or_else(|| {
                let rms = self.root_mean_square(scalar);
                typical.push((scalar, rms));
                rms
            });
            let tolerance = tolerance.unwrap_or(if scalar.width == 2 { 1e-2 } else { 1e-5 });
            let is_close = (got - expected).abs() <= tolerance * expected.abs().max(typical);
            if !(is_close || got == expected || (got.is_nan() && expected.is_nan())) {
                return Some(format!("{name} at byte {at}: expected {expected}, got {got}"));
            }
        }
        None
    }

    fn root_mean_square(&self, scalar: Scalar) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (at, other) in (self.all)() {
            let value = bits(self.expected, at, other).filter(|_| other == scalar).map(|bits| float(bits, other));
            if let Some(value) = value.filter(|value| value.is_finite()) {
                sum += value * value;
                count += 1.0;
            }
        }
        if count > 0.0 { f64::sqrt(sum / count) } else { 0.0 }
    }
}

/// The scalars of a type with their offsets in bytes; of a runtime-sized array those of its first element.
fn collect(layout: &Layout, at: usize, out: &mut Vec<(usize, Scalar)>) {
    match &layout.shape {
        Shape::Scalar(scalar) => out.push((at, *scalar)),
        Shape::Vector { length, scalar } => row(at, *length, *scalar, out),
        Shape::Matrix { columns, rows, scalar, column_stride } => {
            for column in 0..*columns {
                row(at + (column * column_stride) as usize, *rows, *scalar, out);
            }
        }
        Shape::Array { element, count, stride } => {
            for index in 0..count.unwrap_or(1) as usize {
                collect(element, at + index * *stride as usize, out);
            }
        }
        Shape::Struct { fields } => {
            for field in fields {
                collect(&field.layout, at + field.offset as usize, out);
            }
        }
    }
}

fn row(at: usize, length: u32, scalar: Scalar, out: &mut Vec<(usize, Scalar)>) {
    out.extend((0..length as usize).map(|index| (at + index * scalar.width as usize, scalar)));
}

fn bits(bytes: &[u8], at: usize, scalar: Scalar) -> Option<u64> {
    let mut all = [0; 8];
    let width = usize::from(scalar.width).min(8);
    all[..width].copy_from_slice(bytes.get(at..at + width)?);
    Some(u64::from_le_bytes(all))
}

fn float(bits: u64, scalar: Scalar) -> f64 {
    match scalar.width {
        2 => half::f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn integer(bits: u64, scalar: Scalar) -> String {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Signed, 2) => (bits as i16).to_string(),
        (ScalarKind::Signed, 4) => (bits as i32).to_string(),
        (ScalarKind::Signed, _) => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Wgsl;

    /// The layout of a storage variable of this type.
    fn layout(declarations: &str, ty: &str) -> Layout {
        let text = format!(
            "{declarations}\n@group(0) @binding(0) var<storage, read_write> v: {ty};
             @compute @workgroup_size(1) fn main() {{ _ = arrayLength(&v{}); }}",
            if declarations.is_empty() { "" } else { ".a" }
        );
        let caps = anywarp_backend::Caps::webgpu_baseline();
        Wgsl::new(text).program(&caps).unwrap().bindings[0].layout.clone()
    }

    fn compare<T: bytemuck::Pod>(layout: &Layout, got: &[T], expected: &[T], tolerance: f64) -> Option<String> {
        difference("v", layout, bytemuck::cast_slice(got), bytemuck::cast_slice(expected), Some(tolerance))
    }

    #[test]
    fn floats_are_compared_by_their_magnitude() {
        let layout = layout("", "array<f32>");
        assert_eq!(compare(&layout, &[1.0f32, 2.0], &[1.0, 2.0], 0.0), None);
        assert_eq!(compare(&layout, &[1.0f32, 100.01], &[1.0, 100.0], 1e-3), None);
        assert_eq!(compare(&layout, &[0.001f32, 100.0], &[0.0, 100.0], 1e-3), None);
        let said = compare(&layout, &[1.0f32, 101.0], &[1.0, 100.0], 1e-3).unwrap();
        assert_eq!(said, "v at byte 4: expected 100, got 101");
        assert!(compare(&layout, &[1.0f32, 2.0], &[1.0, 2.000_001], 0.0).is_some());
    }

    #[test]
    fn special_values_agree_only_with_themselves() {
        let layout = layout("", "array<f32>");
        let nan = f32::from_bits(0xFFFF_FFFF);
        assert_eq!(compare(&layout, &[f32::NAN, f32::INFINITY, 0.0], &[nan, f32::INFINITY, -0.0], 0.0), None);
        assert!(compare(&layout, &[1.0f32, nan], &[1.0, 1.0], 1e3).is_some());
        assert!(compare(&layout, &[1.0f32, 1.0], &[1.0, nan], 1e3).is_some());
        assert!(compare(&layout, &[1.0f32, f32::INFINITY], &[1.0, 3.0e38], 1e-3).is_some());
    }

    #[test]
    fn integers_are_compared_exactly() {
        let layout = layout("", "array<i32>");
        let said = compare(&layout, &[7i32, -1], &[7, -2], 10.0).unwrap();
        assert_eq!(said, "v at byte 4: expected -2, got -1");
    }

    #[test]
    fn padding_does_not_count_and_all_members_do() {
        let layout = layout("struct S { n: u32, a: array<vec3<f32>> }", "S");
        let expected: Vec<u32> = (0..12).collect();
        let differs_at = |at: usize| {
            let mut got = expected.clone();
            got[at] = 1 << 30;
            compare(&layout, &got, &expected, 0.0).is_some()
        };
        let differing: Vec<usize> = (0..12).filter(|at| differs_at(*at)).collect();
        assert_eq!(differing, [0, 4, 5, 6, 8, 9, 10]);
    }
}
