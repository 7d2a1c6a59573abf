//! Comparison of results with the expected results in the files.

use anywarp_testing::onnx::Tensor;
use anywarp_testing_devices::outcome::TestResult;
use half::{bf16, f16};

use crate::array::{Array, Type};

/// The tolerances of ONNX's own runner of node tests.
const RELATIVE: f64 = 1e-3;
pub(crate) const ABSOLUTE: f64 = 1e-7;

/// The share of the greatest expected number by which results of `DFT` may differ besides: the files have exact zeros, where
/// sums of `f32` cancel.
const OF_TRANSFORMS: f64 = 1e-6;

/// Checks that type and shape are those of the file, integers are equal, and floats are near enough, within 1e-3 of the
/// expected value plus `absolute`: NaN is near NaN.
pub(crate) fn compare((name, operator): (&str, &str), got: &Array, expected: &Tensor, absolute: f64) -> TestResult {
    let kind = Type::of(expected.element)?;
    if (got.kind, &got.shape) != (kind, &expected.shape) {
        let (shape, wanted) = (&got.shape, &expected.shape);
        return fail!("output '{name}': expected {kind:?} of shape {wanted:?}, got {:?} of shape {shape:?}", got.kind);
    }
    let bytes = got.bytes()?;
    if !kind.is_float() {
        let size = bytes.len().checked_div(got.len()).unwrap_or(0);
        let wrong = bytes.iter().zip(&expected.bytes).position(|(got, expected)| got != expected);
        return match wrong {
            None => Ok(()),
            Some(at) => {
                let (first, last) = (at / size * size, at / size * size + size);
                let (got, expected) = (&bytes[first..last], &expected.bytes[first..last]);
                fail!("output '{name}': element {}: expected the bytes {expected:?}, got {got:?}", at / size)
            }
        };
    }
    let wanted = floats(kind, &expected.bytes);
    let greatest = wanted.iter().map(|number| number.abs()).fold(0.0, f64::max);
    let absolute = absolute + if operator == "DFT" { OF_TRANSFORMS * greatest } else { 0.0 };
    for (at, (got, expected)) in floats(kind, &bytes).into_iter().zip(wanted).enumerate() {
        let near = got == expected
            || (got.is_nan() && expected.is_nan())
            || (got - expected).abs() <= absolute + RELATIVE * expected.abs();
        if !near || (expected.is_infinite() && got != expected) {
            return fail!("output '{name}': element {at}: expected {expected}, got {got}");
        }
    }
    Ok(())
}

fn floats(kind: Type, bytes: &[u8]) -> Vec<f64> {
    match kind {
        Type::F16 => bytemuck::pod_collect_to_vec::<u8, f16>(bytes).into_iter().map(f64::from).collect(),
        Type::Bf16 => bytemuck::pod_collect_to_vec::<u8, bf16>(bytes).into_iter().map(f64::from).collect(),
        Type::F64 => bytemuck::pod_collect_to_vec(bytes),
        _ => bytemuck::pod_collect_to_vec::<u8, f32>(bytes).into_iter().map(f64::from).collect(),
    }
}
