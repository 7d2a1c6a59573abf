//! Atomic functions in storage and workgroup memory.

mod alone;
mod contended;

use anywarp::Device;

use crate::operator_suite::scalar::Scalar;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, skip};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = alone::cases();
    cases.extend(contended::cases());
    cases
}

/// Skips the case where the device lacks a feature that `function` on the type needs.
fn needs(device: &Device, scalar: Scalar, function: &str) -> TestResult {
    let extremum = ["atomicMin", "atomicMax"].contains(&function);
    let wanted = match scalar {
        Scalar::F32 => "f32_atomics",
        Scalar::I64 | Scalar::U64 if extremum => "i64_atomic_min_max",
        Scalar::I64 | Scalar::U64 => "i64_atomics",
        _ => return Ok(()),
    };
    let has = device.caps().feature_names();
    if has.contains(&wanted) || has.contains(&"i64_atomics") && scalar.size() == 8 {
        Ok(())
    } else {
        skip(format!("the device has no {wanted}"))
    }
}
