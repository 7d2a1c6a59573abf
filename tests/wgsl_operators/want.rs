//! Expected results, and their comparison with actual results.
//!
//! A `cpu` device has to meet IEEE 754, including subnormals, infinities, NaNs and signed zeros. Other devices may
//! differ from it as the section "Differences from IEEE-754" of the WGSL specification allows: infinities and NaNs are
//! indeterminate, subnormals may be flushed, and the sign of a zero may be ignored.

use crate::operator_suite::scalar::{Scalar, Value};

/// The expectation for one component of a result.
#[derive(Clone, Debug)]
pub(crate) enum Want {
    /// Any value: the specification does not define the result.
    Any,
    /// Exactly this value; for a NaN, any NaN.
    Is(Value),
    /// A float within an absolute distance, or an infinity if a value at that distance rounds to infinity.
    Near { value: f64, within: f64 },
    /// Any one of these expectations.
    OneOf(Vec<Want>),
    /// One expectation for `cpu`, another for all other backends.
    PerBackend { cpu: Box<Want>, others: Box<Want> },
}

impl Want {
    pub(crate) fn float(scalar: Scalar, value: f64) -> Self {
        Self::Is(Value::float(scalar, value))
    }

    pub(crate) fn int(scalar: Scalar, value: i128) -> Self {
        Self::Is(Value::int(scalar, value))
    }

    pub(crate) fn bool(value: bool) -> Self {
        Self::Is(Value::bool(value))
    }

    pub(crate) fn per_backend(cpu: Self, others: Self) -> Self {
        Self::PerBackend { cpu: Box::new(cpu), others: Box::new(others) }
    }

    /// Whether `got` meets the expectation.
    pub(crate) fn accepts(&self, got: Value, strict: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Is(value) if value.scalar.is_float() && value.f().is_nan() => got.f().is_nan(),
            Self::Is(value) => *value == got,
            Self::Near { value, .. } if value.is_nan() => got.f().is_nan(),
            Self::Near { value, within } => {
                let found = got.f();
                found == *value
                    || (found - value).abs() <= *within
                    || (found.is_infinite()
                        && found.signum() == value.signum()
                        && value.abs() + within + got.scalar.ulp(f64::MAX) / 2.0 >= got.scalar.greatest())
            }
            Self::OneOf(wants) => wants.iter().any(|want| want.accepts(got, strict)),
            Self::PerBackend { cpu, others } => if strict { cpu } else { others }.accepts(got, strict),
        }
    }

    /// Whether an indeterminate float (infinity or NaN) is among the expected values.
    fn is_special(&self) -> bool {
        match self {
            Self::Any => false,
            Self::Is(value) => value.is_special(),
            Self::Near { value, within } => !value.is_finite() || !within.is_finite(),
            Self::OneOf(wants) => wants.iter().any(Self::is_special),
            Self::PerBackend { others, .. } => others.is_special(),
        }
    }

    /// Whether a zero meets the expectation on a device that flushes subnormals and ignores signs of zeros.
    fn may_be_zero(&self, scalar: Scalar) -> bool {
        match self {
            Self::Any => true,
            Self::Is(value) => value.is_float_zero() || value.is_subnormal(),
            Self::Near { value, within } => value.abs() - within < scalar.min_normal(),
            Self::OneOf(wants) => wants.iter().any(|want| want.may_be_zero(scalar)),
            Self::PerBackend { others, .. } => others.may_be_zero(scalar),
        }
    }
}

/// Checks that every component of `got` is right for a row of arguments.
pub(crate) fn judge(
    row: &[Vec<Value>],
    wanted: &[Want],
    got: &[Value],
    strict: bool,
    reference: impl Fn(&[Vec<Value>]) -> Vec<Want>,
) -> bool {
    if accepted(wanted, got, strict) {
        return true;
    }
    if strict {
        return false;
    }
    let lanes = || row.iter().flatten();
    if lanes().any(|value| value.is_special()) {
        return true;
    }
    // The device may have flushed any of the subnormal arguments, and ignored the signs of zeros.
    let small: Vec<usize> = lanes().enumerate().filter(|(_, v)| v.is_subnormal()).map(|(at, _)| at).collect();
    let subsets = if small.len() <= 6 { 1u32 << small.len() } else { 2 };
    for subset in 0..subsets {
        for positive in [false, true] {
            let mut changed = row.to_vec();
            for (at, value) in changed.iter_mut().flatten().enumerate() {
                let chosen = small.iter().position(|place| *place == at);
                if chosen.is_some_and(|place| (small.len() > 6 && subset == 1) || (subset >> place) & 1 == 1) {
                    *value = Value::float(value.scalar, 0.0f64.copysign(value.f()));
                }
                if positive && value.is_float_zero() {
                    *value = Value::float(value.scalar, 0.0);
                }
            }
            if accepted(&reference(&changed), got, false) {
                return true;
            }
        }
    }
    false
}

fn accepted(wanted: &[Want], got: &[Value], strict: bool) -> bool {
    let right = |(want, got): (&Want, &Value)| {
        let free = || want.is_special() || (got.is_float_zero() && want.may_be_zero(got.scalar));
        want.accepts(*got, strict) || (!strict && got.scalar.is_float() && free())
    };
    wanted.len() == got.len() && wanted.iter().zip(got).all(right)
}
