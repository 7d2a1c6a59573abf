// Activation functions of f32 and their derivatives, each without overflow and without cancellation for small results. NaN
// stays NaN.

// Returns the result of a function of x, or NaN if x is NaN, as comparisons with NaN have no defined results.
fn unless_nan(result: f32, x: f32) -> f32 {
    return select(result, x, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

// Returns x, at most `limit` from 0: beyond it the result no longer changes, and infinity times 0 would be NaN.
fn within(x: f32, limit: f32) -> f32 {
    return unless_nan(clamp(x, -limit, limit), x);
}

fn sigmoid(x: f32) -> f32 {
    let e = exp(-abs(x));
    return select(1.0, e, x < 0.0) / (1.0 + e);
}

fn sigmoid_derivative(x: f32) -> f32 {
    let e = exp(-abs(x));
    return e / ((1.0 + e) * (1.0 + e));
}

fn relu(x: f32) -> f32 {
    // Only the bits distinguish NaN from a negative number, as `max` and comparisons may drop it.
    let bits = bitcast<u32>(x);
    return select(x, 0.0, bits > 0x80000000u && bits <= 0xff800000u);
}

fn relu_derivative(x: f32) -> f32 {
    return unless_nan(select(1.0, 0.0, x <= 0.0), x);
}

fn leaky_relu(x: f32, slope: f32) -> f32 {
    return select(x, slope * x, x < 0.0);
}

fn leaky_relu_derivative(x: f32, slope: f32) -> f32 {
    return unless_nan(select(1.0, slope, x <= 0.0), x);
}

fn elu(x: f32, alpha: f32) -> f32 {
    // e^x - 1, which for small x is the start of its series.
    let small = x * (1.0 + x * (0.5 + x * 0.16666667));
    let below = select(exp(min(x, 0.0)) - 1.0, small, x > -0.01);
    return select(x, alpha * below, x < 0.0);
}

fn elu_derivative(x: f32, alpha: f32) -> f32 {
    return unless_nan(select(1.0, alpha * exp(min(x, 0.0)), x <= 0.0), x);
}

fn softplus(x: f32) -> f32 {
    // log(1 + e), which for small e is the start of its series.
    let e = exp(-abs(x));
    let rest = select(log(1.0 + e), e * (1.0 - e * (0.5 - e * 0.33333333)), e < 0.01);
    return select(x, 0.0, x < 0.0) + rest;
}

fn softplus_derivative(x: f32) -> f32 {
    return sigmoid(x);
}

fn tanh_by_exp(x: f32) -> f32 {
    let e = exp(-2.0 * abs(x));
    let far = (1.0 - e) / (1.0 + e);
    // For small x, 1 - e would cancel.
    let near = x * (1.0 - x * x * (0.33333333 - x * x * 0.13333333));
    return select(select(far, -far, x < 0.0), near, abs(x) < 0.1);
}

fn tanh_derivative(x: f32) -> f32 {
    let e = exp(-2.0 * abs(x));
    return 4.0 * e / ((1.0 + e) * (1.0 + e));
}

fn silu(x: f32) -> f32 {
    return x * sigmoid(x);
}

fn silu_derivative(x: f32) -> f32 {
    return sigmoid(x) * (1.0 + within(x, 200.0) * sigmoid(-x));
}

// 1 - erf(z) for z of at least 0: a Chebyshev fit with a relative error of 1.2e-7 (Press et al., 'Numerical Recipes', 6.2).
fn erfc_above_zero(z: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.5 * z);
    var fit = -0.82215223 + t * 0.17087277;
    fit = 1.48851587 + t * fit;
    fit = -1.13520398 + t * fit;
    fit = 0.27886807 + t * fit;
    fit = -0.18628806 + t * fit;
    fit = 0.09678418 + t * fit;
    fit = 0.37409196 + t * fit;
    fit = 1.00002368 + t * fit;
    return t * exp(-z * z - 1.26551223 + t * fit);
}

// The share of a normal distribution below x.
fn normal_below(x: f32) -> f32 {
    let tail = 0.5 * erfc_above_zero(abs(x) * 0.70710678);
    return select(1.0 - tail, tail, x < 0.0);
}

fn gelu(x: f32) -> f32 {
    return x * normal_below(x);
}

fn gelu_derivative(x: f32) -> f32 {
    return normal_below(x) + within(x, 30.0) * 0.3989423 * exp(-0.5 * x * x);
}

fn gelu_tanh(x: f32) -> f32 {
    // (1 + tanh(u)) / 2 is the sigmoid of 2 u.
    return x * sigmoid(1.5957691 * x * (1.0 + 0.044715 * x * x));
}

fn gelu_tanh_derivative(x: f32) -> f32 {
    let near = within(x, 30.0);
    let u = 1.5957691 * near * (1.0 + 0.044715 * near * near);
    return sigmoid(u) + near * sigmoid_derivative(u) * 1.5957691 * (1.0 + 0.134145 * near * near);
}

fn hardswish(x: f32) -> f32 {
    return select(x * clamp(x * 0.16666667 + 0.5, 0.0, 1.0), 0.0, x <= -3.0);
}

fn hardswish_derivative(x: f32) -> f32 {
    return select(select(x * 0.33333333 + 0.5, 1.0, x > 3.0), 0.0, x <= -3.0);
}

// x tanh(softplus(x)), where tanh(log(1 + y)) is a quotient of polynomials.
fn mish(x: f32) -> f32 {
    let e = exp(-abs(x));
    let below = e * (e + 2.0) / (e * (e + 2.0) + 2.0);
    let above = (1.0 + 2.0 * e) / (1.0 + 2.0 * e + 2.0 * e * e);
    return x * select(above, below, x < 0.0);
}

fn mish_derivative(x: f32) -> f32 {
    let e = exp(-abs(x));
    let below = e * (e + 2.0) + 2.0;
    let above = 1.0 + 2.0 * e + 2.0 * e * e;
    let tanh_of = select((1.0 + 2.0 * e) / above, e * (e + 2.0) / below, x < 0.0);
    // 1 - tanh^2.
    let one = 1.0 + e;
    let square = select(4.0 * e * e * one * one / (above * above), 4.0 * one * one / (below * below), x < 0.0);
    return tanh_of + within(x, 200.0) * square * sigmoid(x);
}
