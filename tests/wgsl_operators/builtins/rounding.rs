//! Float functions that are exact or rounded once, and numeric functions of all types.

use std::sync::Arc;

use crate::operator_suite::accuracy::{Inexact, inherited};
use crate::operator_suite::edges::combinations;
use crate::operator_suite::scalar::{FLOATS, NUMBERS, SHORT_FLOATS, SIGNED, Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::{Case, Componentwise};
use crate::operator_suite::want::Want;

use super::samples;

const F32: &[Scalar] = &[Scalar::F32];

pub(crate) const TABLE: &[Componentwise] = &[
    Componentwise::new("abs", "abs(x)", NUMBERS, abs),
    Componentwise::new("min", "min(x, y)", NUMBERS, |s, v| Want::OneOf(smaller(s, v[0], v[1]))).binary(),
    Componentwise::new("max", "max(x, y)", NUMBERS, |s, v| Want::OneOf(greater(s, v[0], v[1]))).binary(),
    Componentwise::new("clamp", "clamp(x, y, z)", NUMBERS, clamp).ternary(),
    Componentwise::new("sign", "sign(x)", SIGNED, sign),
    Componentwise::new("ceil", "ceil(x)", FLOATS, |s, v| Want::float(s, v[0].f().ceil())),
    Componentwise::new("floor", "floor(x)", FLOATS, |s, v| Want::float(s, v[0].f().floor())),
    Componentwise::new("round", "round(x)", FLOATS, |s, v| Want::float(s, v[0].f().round_ties_even())),
    Componentwise::new("trunc", "trunc(x)", FLOATS, |s, v| Want::float(s, v[0].f().trunc())),
    Componentwise::new("fract", "fract(x)", FLOATS, fract),
    Componentwise::new("saturate", "saturate(x)", FLOATS, saturate),
    Componentwise::new("step", "step(x, y)", FLOATS, step).binary(),
    Componentwise::new("fma", "fma(x, y, z)", FLOATS, fma).ternary(),
    Componentwise::new("sqrt", "sqrt(x)", FLOATS, sqrt).more(samples::unary),
    Componentwise::new("modf_fract", "modf(x).fract", FLOATS, modf_fract),
    Componentwise::new("modf_whole", "modf(x).whole", FLOATS, |s, v| Want::float(s, v[0].f().trunc())),
    Componentwise::new("frexp_fract", "frexp(x).fract", FLOATS, |s, v| {
        normal_only(v[0], Want::float(s, frexp(v[0].f()).0))
    }),
    Componentwise::new("frexp_exp", "frexp(x).exp", F32, frexp_exp).gives(Scalar::I32),
    Componentwise::new("ldexp", "ldexp(x, y)", SHORT_FLOATS, ldexp).takes(|s| vec![s, Scalar::I32], &[]),
    Componentwise::new("quantizeToF16", "quantizeToF16(x)", F32, quantize),
];

/// The cases of exponents of types other than f32, which naga returns in an integer of the same width.
pub(crate) fn cases() -> Vec<Case> {
    let case = |scalar: Scalar| {
        let sweep = Sweep {
            expression: "i32(frexp(x).exp)".to_owned(),
            arguments: vec![Type::scalar(scalar)],
            result: Type::scalar(Scalar::I32),
            before: "",
            rows: Arc::new(move || combinations(&[scalar])),
            reference: Arc::new(|row| vec![frexp_exp(Scalar::I32, &row[0])]),
            features: if scalar == Scalar::F16 { &["i16"] } else { &["i64"] },
            only_cpu: None,
        };
        Case::sweep(format!("builtins::{}::frexp_exp", scalar.name()), sweep)
    };
    [Scalar::F16, Scalar::F64].map(case).into()
}

fn abs(scalar: Scalar, v: &[Value]) -> Want {
    if scalar.is_float() { Want::float(scalar, v[0].f().abs()) } else { Want::int(scalar, v[0].i().abs()) }
}

/// The smaller value; for a number and a NaN the number; for two zeros either one.
fn smaller(scalar: Scalar, x: Value, y: Value) -> Vec<Want> {
    if !scalar.is_float() {
        return vec![Want::int(scalar, x.i().min(y.i()))];
    }
    if x.is_float_zero() && y.is_float_zero() {
        return vec![Want::Is(x), Want::Is(y)];
    }
    vec![Want::float(scalar, x.f().min(y.f()))]
}

fn greater(scalar: Scalar, x: Value, y: Value) -> Vec<Want> {
    if !scalar.is_float() {
        return vec![Want::int(scalar, x.i().max(y.i()))];
    }
    if x.is_float_zero() && y.is_float_zero() {
        return vec![Want::Is(x), Want::Is(y)];
    }
    vec![Want::float(scalar, x.f().max(y.f()))]
}

/// `min(max(x, low), high)`; for floats also the median.
fn clamp(scalar: Scalar, v: &[Value]) -> Want {
    if !scalar.is_float() {
        return Want::int(scalar, v[0].i().max(v[1].i()).min(v[2].i()));
    }
    let [x, low, high] = [v[0].f(), v[1].f(), v[2].f()];
    let chosen = x.max(low).min(high);
    let mut wants = vec![Want::float(scalar, chosen)];
    if chosen == 0.0 {
        wants.extend([Want::float(scalar, 0.0), Want::float(scalar, -0.0)]);
    }
    if x.is_nan() || low.is_nan() || high.is_nan() {
        return Want::Any;
    }
    let mut ordered = [x, low, high];
    ordered.sort_by(f64::total_cmp);
    wants.push(Want::float(scalar, ordered[1]));
    // Most devices have an instruction whose result is undefined if the lower bound exceeds the upper bound.
    let others = if low > high { Want::Any } else { Want::OneOf(wants.clone()) };
    Want::per_backend(Want::OneOf(wants), others)
}

fn sign(scalar: Scalar, v: &[Value]) -> Want {
    if !scalar.is_float() {
        return Want::int(scalar, v[0].i().signum());
    }
    let value = v[0].f();
    if value.is_nan() {
        return Want::Any;
    }
    if value == 0.0 {
        return Want::OneOf(vec![Want::float(scalar, 0.0), Want::float(scalar, -0.0)]);
    }
    Want::float(scalar, value.signum())
}

/// `x - floor(x)`, which may round to one; some devices return a value just below one.
fn fract(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].f();
    if value.is_infinite() {
        return Want::OneOf(vec![Want::float(scalar, f64::NAN), Want::float(scalar, 0.0), Want::float(scalar, -0.0)]);
    }
    let below_one = Want::float(scalar, 1.0 - scalar.ulp(0.5));
    let exact = Value::float(scalar, value - value.floor());
    if exact.f() == 1.0 { Want::OneOf(vec![Want::Is(exact), below_one]) } else { Want::Is(exact) }
}

fn saturate(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].f();
    if value.is_nan() {
        return Want::OneOf(vec![Want::float(scalar, 0.0), Want::float(scalar, f64::NAN)]);
    }
    if value == 0.0 {
        return Want::OneOf(vec![Want::float(scalar, 0.0), Want::float(scalar, -0.0)]);
    }
    Want::float(scalar, value.clamp(0.0, 1.0) + 0.0)
}

fn step(scalar: Scalar, v: &[Value]) -> Want {
    let (edge, value) = (v[0].f(), v[1].f());
    if edge.is_nan() || value.is_nan() {
        return Want::OneOf(vec![Want::float(scalar, 0.0), Want::float(scalar, 1.0)]);
    }
    Want::float(scalar, f64::from(u8::from(edge <= value)))
}

/// The result is rounded once on `cpu`; on other backends the product and the sum may each be rounded.
fn fma(scalar: Scalar, v: &[Value]) -> Want {
    let [x, y, z] = [v[0], v[1], v[2]];
    let [fx, fy, fz] = [x.f(), y.f(), z.f()];
    let fused = match scalar {
        Scalar::F32 => f64::from((fx as f32).mul_add(fy as f32, fz as f32)),
        _ => fx.mul_add(fy, fz),
    };
    let separate = Value::float(scalar, Value::float(scalar, fx * fy).f() + fz);
    let exact = |value| Inexact::exact(scalar, value);
    let formula = exact(fx) * exact(fy) + exact(fz);
    let others = match inherited(fused, formula) {
        Want::PerBackend { others, .. } => *others,
        want => want,
    };
    let fused = Want::float(scalar, fused);
    // Some processors have no f16 arithmetic: such a processor computes in f32 and rounds the result.
    let cpu = if scalar == Scalar::F16 { Want::OneOf(vec![fused, Want::Is(separate)]) } else { fused };
    Want::per_backend(cpu, others)
}

fn sqrt(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].f();
    let within = Inexact::exact(scalar, value).sqrt().error;
    let others =
        if value < 0.0 || !within.is_finite() { Want::Any } else { Want::Near { value: value.sqrt(), within } };
    Want::per_backend(Want::float(scalar, value.sqrt()), others)
}

fn modf_fract(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].f();
    if value.is_infinite() {
        let zeros = [f64::NAN, 0.0, -0.0].map(|value| Want::float(scalar, value));
        return Want::OneOf(zeros.to_vec());
    }
    let fraction = value - value.trunc();
    if fraction == 0.0 {
        return Want::OneOf(vec![Want::float(scalar, 0.0), Want::float(scalar, -0.0)]);
    }
    Want::float(scalar, fraction)
}

/// The fraction, from 0.5 to below 1, and the exponent of its power of two.
fn frexp(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    // Subnormal f64 values are scaled into the normal range first.
    let (value, shift) = if value.abs() < f64::MIN_POSITIVE { (value * 2f64.powi(64), 64) } else { (value, 0) };
    let exponent = ((value.to_bits() >> 52) as i32 & 0x7ff) - 1022;
    let fraction = f64::from_bits(value.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (fraction, exponent - shift)
}

fn frexp_exp(_: Scalar, v: &[Value]) -> Want {
    let exact = Want::int(Scalar::I32, i128::from(frexp(v[0].f()).1));
    if v[0].is_special() { Want::Any } else { normal_only(v[0], exact) }
}

/// Allows other backends any result for a subnormal argument, for which WGSL states no bound.
fn normal_only(argument: Value, want: Want) -> Want {
    if argument.is_subnormal() { Want::per_backend(want, Want::Any) } else { want }
}

/// `x * 2^y`; indeterminate beyond the exponents of the type.
fn ldexp(scalar: Scalar, v: &[Value]) -> Want {
    let exponent = v[1].i();
    let (bias, least) = if scalar == Scalar::F16 { (15, -14) } else { (127, -126) };
    if exponent > bias + 1 {
        return Want::Any;
    }
    let exact = Want::float(scalar, v[0].f() * 2f64.powi(exponent.max(-400) as i32));
    let others = if exponent < least { Want::Any } else { exact.clone() };
    Want::per_backend(exact, others)
}

/// The value rounded to the nearest f16; on other backends to either neighbour, and to zero for a subnormal f16.
fn quantize(scalar: Scalar, v: &[Value]) -> Want {
    let value = v[0].f();
    let nearest = Value::float(Scalar::F16, value).f();
    let within = Scalar::F16.ulp(value);
    let others = if nearest.abs() < Scalar::F16.min_normal() {
        Want::OneOf(vec![Want::Near { value, within }, Want::Near { value: 0.0, within: 0.0 }])
    } else if nearest.is_finite() {
        Want::Near { value, within }
    } else {
        Want::Any
    };
    Want::per_backend(Want::float(scalar, nearest), others)
}
