//! The arguments of tests: edge values, and random values that are the same in every run.

use anywarp_testing::random::Random;

use crate::operator_suite::scalar::{Scalar, Value, exp2i};

/// The arguments of one call, each as a list of components.
pub(crate) type Row = Vec<Vec<Value>>;

/// Every edge value of a type.
pub(crate) fn edges(scalar: Scalar) -> Vec<Value> {
    match scalar {
        Scalar::Bool => vec![Value::bool(false), Value::bool(true)],
        _ if scalar.is_float() => float_edges(scalar),
        _ => integer_edges(scalar),
    }
}

/// A few values, for all combinations of three or four arguments.
pub(crate) fn few(scalar: Scalar) -> Vec<Value> {
    if scalar.is_float() {
        let great = scalar.greatest();
        let values = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7.0, great, -great, scalar.min_normal() / 2.0];
        let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        return values.into_iter().chain(special).map(|value| Value::float(scalar, value)).collect();
    }
    if scalar == Scalar::Bool {
        return edges(scalar);
    }
    let (low, high) = scalar.range();
    let middle = 0x5a5a_a5a5_1234_f00d_i128;
    let mut values: Vec<i128> = vec![0, 1, 2, 7, 31, 32, 33, low, low + 1, high, high - 1, middle];
    if scalar.is_signed() {
        values.extend([-1, -7, -32]);
    }
    values.into_iter().map(|value| Value::int(scalar, value)).collect()
}

fn float_edges(scalar: Scalar) -> Vec<Value> {
    use std::f64::consts::{E, LN_2, PI};
    let (least, great) = (scalar.min_normal(), scalar.greatest());
    let (one_ulp, tiny) = (scalar.ulp(1.0), scalar.ulp(0.0));
    let mut positive = vec![0.0, tiny, 3.0 * tiny, least - tiny, least, least * 1.5, least * 4.0];
    positive.extend([0.001, 0.1, 0.25, 0.5 - one_ulp / 4.0, 0.5, 0.75, 1.0 - one_ulp / 2.0, 1.0, 1.0 + one_ulp]);
    positive.extend([1.5, 2.0, 2.5, E, 3.0, PI, 3.5, PI / 2.0, LN_2, 10.0, 89.5, 1000.0]);
    positive.extend([0.5 / one_ulp + 0.5, 1.0 / one_ulp - 1.0, 1.0 / one_ulp, 2.0 / one_ulp + 1.0]);
    positive.extend([great.sqrt(), great / 2.0, great]);
    if scalar != Scalar::F16 {
        positive.extend([exp2i(31), exp2i(32), exp2i(63), exp2i(64), 1e10]);
    }
    positive.push(f64::INFINITY);
    let mut values: Vec<Value> =
        positive.into_iter().flat_map(|value| [value, -value]).map(|value| Value::float(scalar, value)).collect();
    values.push(Value::float(scalar, f64::NAN));
    values
}

fn integer_edges(scalar: Scalar) -> Vec<Value> {
    let (low, high) = scalar.range();
    let mut values = vec![low, low + 1, high, high - 1, high / 2, high / 2 + 1, high / 3];
    values.extend([0, 1, 2, 3, 7, 10, 100, 31, 32, 33, 63, 64, 65, 255, 256, 65535, 65536]);
    values.extend([0x55, 0xf0f0, 0x1234_5678, 0x00ff_ff00, 0x8000_0000, 0x7fff_ffff]);
    if scalar.is_signed() {
        values.extend([-1, -2, -3, -7, -31, -32, -128, -255, -65536, low / 2]);
    }
    if scalar.size() == 8 {
        values.extend([1 << 32, (1 << 32) - 1, (1 << 53) + 1, 0x1234_5678_9abc_def0]);
    }
    values.into_iter().map(|value| Value::int(scalar, value)).collect()
}

/// A generator of random values of any type.
pub(crate) trait RandomValue {
    /// Returns a float of moderate size in half of the calls and a float of any bits in the others, or an integer of
    /// any size.
    fn value(&mut self, scalar: Scalar) -> Value;
}

impl RandomValue for Random {
    fn value(&mut self, scalar: Scalar) -> Value {
        let (choice, bits) = (self.bits(), self.bits());
        match scalar {
            Scalar::Bool => Value::bool(bits & 1 == 1),
            _ if scalar.is_float() && choice & 1 == 0 => Value::float(scalar, self.unit() * 20.0 - 10.0),
            _ if scalar.is_float() => Value::new(scalar, bits),
            _ => Value::int(scalar, i128::from(bits as i64 >> (choice % u64::from(scalar.width())))),
        }
    }
}

/// All combinations of edge values for one or two arguments, of a few values for more, plus random rows.
pub(crate) fn combinations(arguments: &[Scalar]) -> Vec<Row> {
    let choices: Vec<Vec<Value>> =
        arguments.iter().map(|scalar| if arguments.len() <= 2 { edges(*scalar) } else { few(*scalar) }).collect();
    let mut rows: Vec<Row> = vec![Vec::new()];
    for choice in &choices {
        rows = rows
            .into_iter()
            .flat_map(|row| choice.iter().map(move |value| [row.clone(), vec![vec![*value]]].concat()))
            .collect();
    }
    if arguments.iter().all(|scalar| *scalar == Scalar::Bool) {
        return rows;
    }
    let mut random = Random::from_state(arguments.len() as u64);
    rows.extend((0..301).map(|_| arguments.iter().map(|scalar| vec![random.value(*scalar)]).collect::<Row>()));
    rows
}

/// Combines rows of scalars into rows of vectors; the arguments in `kept` remain scalars.
pub(crate) fn grouped(rows: &[Row], lanes: usize, kept: &[usize]) -> Vec<Row> {
    // If there are few rows, they are combined in every way; otherwise each row is used once.
    let few = rows.len() <= 8;
    let count = if few { rows.len().pow(lanes as u32) } else { rows.len() / lanes };
    let chosen = |group: usize, lane: usize| {
        if few { group / rows.len().pow(lane as u32) % rows.len() } else { group + lane * count }
    };
    (0..count)
        .map(|group| {
            let group: Vec<&Row> = (0..lanes).map(|lane| &rows[chosen(group, lane)]).collect();
            (0..group[0].len())
                .map(|argument| {
                    let width = if kept.contains(&argument) { 1 } else { lanes };
                    (0..width).map(|lane| group[lane][argument][0]).collect()
                })
                .collect()
        })
        .collect()
}

/// The rows without infinities and NaNs, which are indeterminate on most devices and would make whole vectors
/// indeterminate.
pub(crate) fn ordinary(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().filter(|row| row.iter().flatten().all(|value| !value.is_special())).collect()
}
