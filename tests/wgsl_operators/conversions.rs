//! Conversions between every pair of scalar types, and bitcasts.

use std::sync::Arc;

use crate::operator_suite::edges::{combinations, grouped, ordinary};
use crate::operator_suite::scalar::{ALL, Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::Case;
use crate::operator_suite::want::Want;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for from in ALL.iter().copied() {
        for to in ALL.iter().copied() {
            for lanes in [1, 3] {
                let suffix = if lanes == 1 { String::new() } else { format!("_vec{lanes}") };
                let target = Type::vector(to, lanes).name();
                let name = format!("conversions::{}::to_{}{suffix}", from.name(), to.name());
                cases.push(Case::sweep(name, sweep(from, to, lanes, format!("{target}(x)"), convert)));
                if reinterprets(from, to) {
                    let name = format!("conversions::{}::bits_to_{}{suffix}", from.name(), to.name());
                    cases.push(Case::sweep(name, sweep(from, to, lanes, format!("bitcast<{target}>(x)"), reinterpret)));
                }
            }
        }
    }
    cases
}

/// Whether the types have the same width and allow a bitcast.
fn reinterprets(from: Scalar, to: Scalar) -> bool {
    from.size() == to.size() && from != Scalar::Bool && to != Scalar::Bool
}

fn sweep(from: Scalar, to: Scalar, lanes: usize, expression: String, reference: fn(Scalar, Value) -> Want) -> Sweep {
    Sweep {
        expression,
        arguments: vec![Type::vector(from, lanes)],
        result: Type::vector(to, lanes),
        before: "",
        rows: Arc::new(move || {
            let rows = combinations(&[from]);
            if lanes == 1 { rows } else { grouped(&ordinary(rows), lanes, &[]) }
        }),
        reference: Arc::new(move |row| row[0].iter().map(|value| reference(to, *value)).collect()),
        features: &[],
        only_cpu: None,
    }
}

fn convert(to: Scalar, from: Value) -> Want {
    match (from.scalar, to) {
        (Scalar::Bool, to) if to.is_float() => Want::float(to, f64::from(u8::from(from.b()))),
        (Scalar::Bool, Scalar::Bool) => Want::Is(from),
        (Scalar::Bool, to) => Want::int(to, i128::from(from.b())),
        (scalar, Scalar::Bool) if scalar.is_float() => Want::bool(from.f() != 0.0),
        (_, Scalar::Bool) => Want::bool(from.bits != 0),
        (scalar, to) if scalar.is_float() && to.is_float() => float_to_float(to, from),
        (scalar, to) if scalar.is_float() => float_to_integer(to, from),
        (_, to) if to.is_float() => integer_to_float(to, from.i()),
        (_, to) => Want::int(to, from.i()),
    }
}

/// Expects the nearest value on `cpu`, and either neighbour on other backends.
fn float_to_float(to: Scalar, from: Value) -> Want {
    let value = from.f();
    let nearest = Value::float(to, value);
    let others = if nearest.f() == value {
        Want::Is(nearest)
    } else if nearest.is_special() {
        Want::Any
    } else {
        Want::Near { value, within: to.ulp(value) }
    };
    Want::per_backend(Want::Is(nearest), others)
}

/// The result of a conversion from float to integer: the value rounded towards zero. For a value out of range, both the
/// end of the range and the nearest value that both types have are accepted.
fn float_to_integer(to: Scalar, from: Value) -> Want {
    let value = from.f();
    if value.is_nan() {
        return Want::Any;
    }
    let (low, high) = to.range();
    let whole = value.trunc();
    if whole > high as f64 || (whole == high as f64 && to.size() == 8) || whole < low as f64 {
        let end = if whole > 0.0 { high } else { low };
        // The float of the source type that is in range and nearest to the end.
        let places = if from.scalar == Scalar::F64 { 53 } else { 24 };
        let bits = 128 - end.unsigned_abs().leading_zeros();
        let common = if end > 0 && bits > places { end >> (bits - places) << (bits - places) } else { end };
        let greatest = from.scalar.greatest() as i128;
        let common = common.clamp(-greatest, greatest);
        return Want::OneOf(vec![Want::int(to, end), Want::int(to, common)]);
    }
    Want::int(to, whole as i128)
}

fn integer_to_float(to: Scalar, value: i128) -> Want {
    // The integer is converted directly, because a conversion through f64 would round a 64-bit integer twice.
    let nearest = match to {
        Scalar::F32 => Value::float(to, f64::from(value as f32)),
        _ => Value::float(to, value as f64),
    };
    let others = match nearest {
        nearest if nearest.is_special() => Want::Any,
        nearest if nearest.f() as i128 == value => Want::Is(nearest),
        _ => Want::Near { value: value as f64, within: to.ulp(value as f64) },
    };
    Want::per_backend(Want::Is(nearest), others)
}

/// Expects the same bits; on other backends the bits of a NaN or an infinity may change.
fn reinterpret(to: Scalar, from: Value) -> Want {
    let kept = Value::new(to, from.bits);
    let others = if kept.is_special() || from.is_special() {
        Want::Any
    } else if kept.is_subnormal() {
        Want::OneOf(vec![Want::Is(kept), Want::Near { value: 0.0, within: 0.0 }])
    } else {
        Want::Is(kept)
    };
    Want::per_backend(Want::Is(kept), others)
}
