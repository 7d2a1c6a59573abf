//! The reference implementation in plain Rust.

/// A function with its parameter: `f(x, parameter)`.
pub(crate) type Function = fn(f64, f64) -> f64;

/// `erf` by its Taylor series near 0, and by a continued fraction of its complement elsewhere.
fn erf(x: f64) -> f64 {
    let z = x.abs();
    let value = if z < 2.5 {
        let (mut term, mut sum) = (z, z);
        for k in 1..80 {
            term *= -z * z / f64::from(k);
            sum += term / f64::from(2 * k + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let fraction = (1..200).rev().fold(z, |below, k| z + f64::from(k) / 2.0 / below);
        1.0 - (-z * z).exp() / fraction / std::f64::consts::PI.sqrt()
    };
    value.copysign(x)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The functions by the names of the library's variants.
pub(crate) const FUNCTIONS: [(&str, Function); 11] = [
    ("Relu", |x, _| if x > 0.0 { x } else { 0.0 }),
    ("Gelu", |x, _| x * 0.5 * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))),
    ("GeluTanh", |x, _| x * 0.5 * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())),
    ("Silu", |x, _| x * sigmoid(x)),
    ("Sigmoid", |x, _| sigmoid(x)),
    ("Tanh", |x, _| x.tanh()),
    ("Softplus", |x, _| softplus(x)),
    ("Elu", |x, alpha| if x > 0.0 { x } else { alpha * x.exp_m1() }),
    ("LeakyRelu", |x, slope| if x > 0.0 { x } else { slope * x }),
    ("Hardswish", |x, _| x * (x / 6.0 + 0.5).clamp(0.0, 1.0)),
    ("Mish", |x, _| x * softplus(x).tanh()),
];
