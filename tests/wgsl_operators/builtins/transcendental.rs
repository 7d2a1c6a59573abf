//! Functions whose results have an error: trigonometric, hyperbolic and exponential functions, and functions of several
//! steps.

use std::f64::consts::PI;

use crate::operator_suite::accuracy::{Inexact, inherited, near};
use crate::operator_suite::scalar::{FLOATS, Scalar, Value};
use crate::operator_suite::table::Componentwise;
use crate::operator_suite::want::Want;

use super::samples;

/// The reason why other backends lack 64-bit forms: SPIR-V's extended instructions for these functions have none.
const NO_WIDE: &str = "no other backend has this function in 64 bits";

const fn unary(name: &'static str, expression: &'static str, reference: fn(Scalar, &[Value]) -> Want) -> Componentwise {
    Componentwise::new(name, expression, FLOATS, reference).more(samples::unary).only_cpu_wide(NO_WIDE)
}

pub(crate) const TABLE: &[Componentwise] = &[
    unary("sin", "sin(x)", |_, v| of(v, |x| (x.value.sin(), x.circular(x.value.sin())))),
    unary("cos", "cos(x)", |_, v| of(v, |x| (x.value.cos(), x.circular(x.value.cos())))),
    unary("tan", "tan(x)", |_, v| of(v, |x| (x.value.tan(), x.circular(x.value.sin()) / x.circular(x.value.cos())))),
    unary("sinh", "sinh(x)", |_, v| of(v, |x| (x.value.sinh(), (x.exp() - (-x).exp()) * x.of(0.5)))),
    unary("cosh", "cosh(x)", |_, v| of(v, |x| (x.value.cosh(), (x.exp() + (-x).exp()) * x.of(0.5)))),
    unary("tanh", "tanh(x)", tanh),
    unary("asin", "asin(x)", |s, v| inverse(s, v, f64::asin, 6.81e-5)),
    unary("acos", "acos(x)", |s, v| inverse(s, v, f64::acos, 6.77e-5)),
    unary("atan", "atan(x)", |s, v| near(s, v[0].f().atan(), arc_ulps(s) * s.ulp(v[0].f().atan()))),
    unary("asinh", "asinh(x)", |_, v| of(v, |x| (x.value.asinh(), (x + (x * x + x.of(1.0)).sqrt()).log()))),
    unary("acosh", "acosh(x)", |_, v| of(v, |x| (acosh(x.value), (x + (x * x - x.of(1.0)).sqrt()).log()))),
    unary("atanh", "atanh(x)", |_, v| {
        of(v, |x| (x.value.atanh(), ((x.of(1.0) + x) / (x.of(1.0) - x)).log() * x.of(0.5)))
    }),
    unary("exp", "exp(x)", |_, v| of(v, |x| (x.value.exp(), x.exp()))),
    unary("exp2", "exp2(x)", |_, v| of(v, |x| (x.value.exp2(), x.exp2()))),
    unary("log", "log(x)", |_, v| of(v, |x| (x.value.ln(), x.log()))),
    unary("log2", "log2(x)", |_, v| of(v, |x| (x.value.log2(), x.log2()))),
    Componentwise::new("inverseSqrt", "inverseSqrt(x)", FLOATS, |_, v| {
        of(v, |x| (x.value.sqrt().recip(), x.inverse_sqrt()))
    })
    .more(samples::unary),
    unary("radians", "radians(x)", |_, v| of(v, |x| (x.value * (PI / 180.0), x * constant(x, PI / 180.0)))),
    unary("degrees", "degrees(x)", |_, v| of(v, |x| (x.value * (180.0 / PI), x * constant(x, 180.0 / PI)))),
    Componentwise::new("atan2", "atan2(x, y)", FLOATS, atan2).binary().only_cpu_wide(NO_WIDE),
    Componentwise::new("pow", "pow(x, y)", FLOATS, pow).binary().more(samples::powers).only_cpu_wide(NO_WIDE),
    Componentwise::new("mix", "mix(x, y, z)", FLOATS, mix).ternary(),
    Componentwise::new("mix_one", "mix(x, y, z)", FLOATS, mix).takes(|s| vec![s; 3], &[2]),
    Componentwise::new("smoothstep", "smoothstep(x, y, z)", FLOATS, smoothstep).ternary().more(samples::between),
];

/// Expects the exact value, with the error of the formula.
fn of(v: &[Value], formula: fn(Inexact) -> (f64, Inexact)) -> Want {
    let (value, formula) = formula(Inexact::exact(v[0].scalar, v[0].f()));
    inherited(value, formula)
}

/// A constant that is rounded to the type of `like`.
fn constant(like: Inexact, value: f64) -> Inexact {
    Inexact { scalar: like.scalar, value, error: like.scalar.ulp(value) }
}

/// The inverse of `cosh`, because `f64::acosh` loses digits near 1. Below 1 the result is NaN.
fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x < 2.0 { ((x - 1.0) + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p() } else { x.acosh() }
}

/// Expects `tanh` within the larger of an absolute bound and the error of `sinh(x) / cosh(x)`.
fn tanh(scalar: Scalar, v: &[Value]) -> Want {
    let x = Inexact::exact(scalar, v[0].f());
    let sinh = (x.exp() - (-x).exp()) * x.of(0.5);
    let cosh = (x.exp() + (-x).exp()) * x.of(0.5);
    let absolute = if scalar == Scalar::F32 { 1e-5 } else { 0.0 };
    near(scalar, v[0].f().tanh(), (sinh / cosh).error.max(absolute))
}

/// Expects `asin` or `acos` within the larger of an absolute bound and the error of `atan2` over a square root.
fn inverse(scalar: Scalar, v: &[Value], true_value: fn(f64) -> f64, absolute: f64) -> Want {
    let value = true_value(v[0].f());
    let absolute = match scalar {
        Scalar::F16 => 3.91e-3,
        Scalar::F32 => absolute,
        _ => 0.0,
    };
    near(scalar, value, absolute.max(arc_ulps(scalar) * scalar.ulp(value)))
}

fn arc_ulps(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => 5.0,
        Scalar::F32 => 4096.0,
        _ => 4.0,
    }
}

fn atan2(scalar: Scalar, v: &[Value]) -> Want {
    let (y, x) = (v[0].f(), v[1].f());
    let value = y.atan2(x);
    let ulps = arc_ulps(scalar);
    let range = scalar.min_normal()..=scalar.min_normal().recip();
    let specified = range.contains(&x.abs()) && (y.abs() >= scalar.min_normal() && y.is_finite());
    let cpu = Want::Near { value, within: ulps * scalar.ulp(value) };
    Want::per_backend(cpu.clone(), if specified { cpu } else { Want::Any })
}

/// Expects `exp2(y * log2(x))`, which is indeterminate for negative `x`, including -0.
fn pow(scalar: Scalar, v: &[Value]) -> Want {
    let (x, y) = (v[0].f(), v[1].f());
    if x.is_sign_negative() || x.is_nan() || y.is_nan() {
        return Want::Any;
    }
    let value = x.powf(y);
    let by_formula = (y * x.log2()).exp2();
    if by_formula.is_nan() {
        // The formula multiplies 0 by infinity; the result in IEEE 754 is 1.
        return Want::Any;
    }
    let exact = |value| Inexact::exact(scalar, value);
    inherited(value, (exact(y) * exact(x).log2()).exp2())
}

/// Expects `x * (1 - z) + y * z`. Backends other than `cpu` may compute `x + (y - x) * z`, which the conformance suite
/// of WebGPU also accepts.
fn mix(scalar: Scalar, v: &[Value]) -> Want {
    let [x, y, z] = [v[0], v[1], v[2]].map(|value| Inexact::exact(scalar, value.f()));
    let value = x.value * (1.0 - z.value) + y.value * z.value;
    let formula = x * (z.of(1.0) - z) + y * z;
    if !formula.error.is_finite() {
        return Want::Any;
    }
    let other = x + (y - x) * z;
    let wider = if other.error > formula.error { Inexact { value, ..other } } else { formula };
    let others = if wider.error.is_finite() { inherited(value, wider) } else { Want::Any };
    Want::per_backend(inherited(value, formula), others)
}

fn smoothstep(scalar: Scalar, v: &[Value]) -> Want {
    let [low, high, x] = [v[0], v[1], v[2]].map(|value| Inexact::exact(scalar, value.f()));
    let ordered = low.value < high.value && v.iter().all(|value| !value.is_special());
    if !ordered {
        return Want::Any;
    }
    let share = (x - low) / (high - low);
    if !share.error.is_finite() {
        return Want::Any;
    }
    let t = Inexact { value: share.value.clamp(0.0, 1.0), ..share };
    let value = t.value * t.value * (3.0 - 2.0 * t.value);
    inherited(value, t * t * (t.of(3.0) - t.of(2.0) * t))
}
