//! Further arguments for functions whose interesting arguments are in a narrow range.

use std::f64::consts::PI;

use anywarp_testing::random::Random;

use crate::operator_suite::edges::Row;
use crate::operator_suite::scalar::{Scalar, Value};

/// Single floats between -1 and 1, around 1, between -pi and pi, and in wider ranges.
pub(crate) fn unary(scalar: Scalar) -> Vec<Row> {
    let mut random = Random::from_state(77);
    let mut rows: Vec<Row> = Vec::new();
    for (low, high) in [(-1.0, 1.0), (0.5, 2.0), (-PI, PI), (1.0, 30.0), (-90.0, 90.0)] {
        rows.extend((0..101).map(|_| vec![vec![Value::float(scalar, low + random.unit() * (high - low))]]));
    }
    rows
}

/// Positive bases and moderate exponents.
pub(crate) fn powers(scalar: Scalar) -> Vec<Row> {
    let mut random = Random::from_state(78);
    let row = |_| [random.unit() * 8.0, random.unit() * 12.0 - 6.0].map(|v| vec![Value::float(scalar, v)]).to_vec();
    (0..301).map(row).collect()
}

/// Two bounds in order, and a value that is often between them.
pub(crate) fn between(scalar: Scalar) -> Vec<Row> {
    let mut random = Random::from_state(79);
    let row = |_| {
        let low = random.unit() * 4.0 - 2.0;
        let high = low + 0.1 + random.unit() * 3.0;
        let value = low + (random.unit() * 1.5 - 0.25) * (high - low);
        [low, high, value].map(|v| vec![Value::float(scalar, v)]).to_vec()
    };
    (0..301).map(row).collect()
}
