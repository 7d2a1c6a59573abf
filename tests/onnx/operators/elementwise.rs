//! Operators that compute each element on its own.

use anywarp_testing_devices::outcome::{TestResult, skip};

use super::Operator;
use super::line::{Line, cast};
use crate::array::{Array, Type};
use crate::graph::Call;

/// An operator that is one line: its name, the line, whether its result is Boolean, and its attributes with their
/// defaults, which the line reads as the values `p`, `q` and so on.
struct Entry(&'static str, &'static str, bool, &'static [(&'static str, f32)]);

#[rustfmt::skip] // one a line
const ENTRIES: &[Entry] = &[
    Entry("Abs", "y = abs(a)", false, &[]),
    Entry("Acos", "y = acos(a)", false, &[]),
    Entry("Acosh", "y = acosh(a)", false, &[]),
    Entry("Add", "y = a + b", false, &[]),
    Entry("And", "y = a & b", true, &[]),
    Entry("Asin", "y = asin(a)", false, &[]),
    Entry("Asinh", "y = asinh(a)", false, &[]),
    Entry("Atan", "y = atan(a)", false, &[]),
    Entry("Atanh", "y = atanh(a)", false, &[]),
    Entry("BitwiseAnd", "y = a & b", false, &[]),
    Entry("BitwiseNot", "y = ~a", false, &[]),
    Entry("BitwiseOr", "y = a | b", false, &[]),
    Entry("BitwiseXor", "y = a ^ b", false, &[]),
    Entry("Ceil", "y = ceil(a)", false, &[]),
    Entry("Celu", "y = max(a, T(0)) + min(T(0), T(p) * (exp(a / T(p)) - T(1)))", false, &[("alpha", 1.0)]),
    Entry("Cos", "y = cos(a)", false, &[]),
    Entry("Cosh", "y = cosh(a)", false, &[]),
    Entry("Div", "y = a / b", false, &[]),
    Entry("Elu", "y = select(T(p) * (exp(a) - T(1)), a, a >= T(0))", false, &[("alpha", 1.0)]),
    Entry("Equal", "y = u32(a == b)", true, &[]),
    Entry("Erf", "y = T(erf(f32(a)))", false, &[]),
    Entry("Exp", "y = exp(a)", false, &[]),
    Entry("Floor", "y = floor(a)", false, &[]),
    Entry("Greater", "y = u32(a > b)", true, &[]),
    Entry("GreaterOrEqual", "y = u32(a >= b)", true, &[]),
    Entry("HardSigmoid", "y = clamp(T(p) * a + T(q), T(0), T(1))", false, &[("alpha", 0.2), ("beta", 0.5)]),
    Entry("HardSwish", "y = a * clamp(a / T(6) + T(0.5), T(0), T(1))", false, &[]),
    Entry("IsInf", "let bits = bitcast<u32>(f32(a)); y = u32((bits == 0x7f800000u && q != 0) || (bits == 0xff800000u && p != 0))", true, &[("detect_negative", 1.0), ("detect_positive", 1.0)]),
    Entry("IsNaN", "y = u32((bitcast<u32>(f32(a)) & 0x7fffffffu) > 0x7f800000u)", true, &[]),
    Entry("LeakyRelu", "y = select(T(p) * a, a, a >= T(0))", false, &[("alpha", 0.01)]),
    Entry("Less", "y = u32(a < b)", true, &[]),
    Entry("LessOrEqual", "y = u32(a <= b)", true, &[]),
    Entry("Log", "y = log(a)", false, &[]),
    Entry("Mish", "let e = exp(min(a, T(20))); y = a * (e * e + T(2) * e) / (e * e + T(2) * e + T(2))", false, &[]),
    Entry("Mul", "y = a * b", false, &[]),
    Entry("Neg", "y = -a", false, &[]),
    Entry("Not", "y = 1u - a", true, &[]),
    Entry("Or", "y = a | b", true, &[]),
    Entry("PRelu", "y = select(a * b, a, a >= T(0))", false, &[]),
    Entry("Reciprocal", "y = T(1) / a", false, &[]),
    Entry("Relu", "y = max(a, T(0))", false, &[]),
    Entry("Round", "y = round(a)", false, &[]),
    Entry("Selu", "y = T(q) * select(T(p) * (exp(a) - T(1)), a, a > T(0))", false, &[("alpha", 1.673_263_2), ("gamma", 1.050_701)]),
    Entry("Shrink", "y = select(select(T(0), a - T(q), a > T(p)), a + T(q), a < -T(p))", false, &[("lambd", 0.5), ("bias", 0.0)]),
    Entry("Sigmoid", "y = T(1) / (T(1) + exp(-a))", false, &[]),
    Entry("Sign", "y = sign(a)", false, &[]),
    Entry("Sin", "y = sin(a)", false, &[]),
    Entry("Sinh", "y = sinh(a)", false, &[]),
    Entry("Softplus", "y = max(a, T(0)) + log(T(1) + exp(-abs(a)))", false, &[]),
    Entry("Softsign", "y = a / (T(1) + abs(a))", false, &[]),
    Entry("Sqrt", "y = sqrt(a)", false, &[]),
    Entry("Sub", "y = a - b", false, &[]),
    Entry("Swish", "y = a / (T(1) + exp(-T(p) * a))", false, &[("alpha", 1.0)]),
    Entry("Tan", "y = tan(a)", false, &[]),
    Entry("Tanh", "y = tanh(a)", false, &[]),
    Entry("ThresholdedRelu", "y = select(T(0), a, a > T(p))", false, &[("alpha", 1.0)]),
    Entry("Xor", "y = a ^ b", true, &[]),
];

/// The error function: a series near 0, and formula 7.1.26 of Abramowitz and Stegun, 'Handbook of Mathematical
/// Functions', elsewhere.
const ERF: &str = "
    fn erf(x: f32) -> f32 {
        let square = x * x;
        let series = 1.1283791671 * x * (1.0 - square * (1.0 / 3.0 - square * (0.1 - square * (1.0 / 42.0 - square / 216.0))));
        let t = 1.0 / (1.0 + 0.3275911 * abs(x));
        let sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
        return select(sign(x) * (1.0 - sum * exp(-square)), series, abs(x) < 0.5);
    }\n";

/// The function for the operator of this name, if it is one line.
pub(super) fn find(name: &str) -> Option<Operator> {
    ENTRIES.iter().any(|Entry(known, ..)| *known == name).then_some(one_line)
}

fn one_line(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let Some(Entry(_, operation, tests, attributes)) = ENTRIES.iter().find(|entry| entry.0 == call.node.operator)
    else {
        return fail!("is not one line");
    };
    let values: Vec<f32> = attributes
        .iter()
        .map(|(name, default)| call.integer(name).map_or_else(|| call.float(name, *default), |value| value as f32))
        .collect();
    let output = if *tests { Type::Bool } else { call.input(0)?.kind };
    let preamble = if operation.contains("erf(") { ERF } else { "" };
    let line = Line::new(operation, output).values(&values).preamble(preamble);
    Ok(vec![line.apply(call.device, &call.inputs()?)?])
}

pub(super) fn where_(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let inputs = call.inputs()?;
    Ok(vec![Line::new("y = select(c, b, a != 0u)", call.input(1)?.kind).apply(call.device, &inputs)?])
}

pub(super) fn clip(call: &Call<'_>) -> TestResult<Vec<Array>> {
    if call.opset < 11 {
        return skip("limits as attributes (versions before 11)");
    }
    let x = call.input(0)?;
    let mut y = x.clone();
    for (limit, operation) in [(1, "y = max(a, b)"), (2, "y = min(a, b)")] {
        if let Some(limit) = call.optional(limit) {
            y = Line::new(operation, x.kind).apply(call.device, &[&y, limit])?;
        }
    }
    Ok(vec![y])
}

pub(super) fn gelu(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let operation = match &call.text("approximate", "none")[..] {
        "tanh" => "y = T(0.5) * a * (T(1) + tanh(T(0.7978845608) * (a + T(0.044715) * a * a * a)))",
        _ => "y = T(0.5) * a * (T(1) + T(erf(f32(a) * 0.7071067812)))",
    };
    Ok(vec![Line::new(operation, x.kind).preamble(ERF).apply(call.device, &[x])?])
}

pub(super) fn bit_shift(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let operation = match &call.text("direction", "")[..] {
        "LEFT" => "y = a << u32(b)",
        _ => "y = a >> u32(b)",
    };
    Ok(vec![Line::new(operation, call.input(0)?.kind).apply(call.device, &call.inputs()?)?])
}

/// Computes remainders with the sign of the divisor or, with `fmod`, of the dividend.
pub(super) fn modulo(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let kind = call.input(0)?.kind;
    let operation = match kind {
        _ if call.flag("fmod", false) => "y = a % b",
        _ if kind.is_float() => "y = a - b * floor(a / b)",
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
            "let r = a % b; y = select(r, r + b, r != T(0) && ((r < T(0)) != (b < T(0))))"
        }
        _ => "y = a % b",
    };
    Ok(vec![Line::new(operation, kind).apply(call.device, &call.inputs()?)?])
}

/// Computes powers, by multiplication for integers and by logarithms of absolute values for floats.
pub(super) fn power(call: &Call<'_>) -> TestResult<Vec<Array>> {
    const OF_FLOATS: &str = "
        fn power(a: f32, b: f32) -> f32 {
            let size = pow(abs(a), b);
            let nan = bitcast<f32>(0x7fc00000u | u32(b));
            let negative = select(nan, select(size, -size, abs(b) % 2.0 == 1.0), floor(b) == b);
            return select(select(negative, size, a >= 0.0), 1.0, b == 0.0);
        }\n";
    const OF_INTEGERS: &str = "
        fn power(a: T, b: T) -> T {
            var product = T(1);
            for (var left = min(b, T(64)); left > T(0); left -= T(1)) { product *= a; }
            return product;
        }\n";
    let (a, b) = (call.input(0)?, call.input(1)?);
    let (operation, preamble) = match (a.kind.is_float(), b.kind.is_float()) {
        (true, _) => ("y = Y(power(f32(a), f32(b)))", OF_FLOATS),
        (false, true) => ("y = Y(round(power(f32(a), b)))", OF_FLOATS),
        (false, false) => ("y = power(a, T(b))", OF_INTEGERS),
    };
    Ok(vec![Line::new(operation, a.kind).preamble(preamble).apply(call.device, &[a, b])?])
}

/// Computes operators with any number of inputs.
pub(super) fn several(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let operation = match &call.node.operator[..] {
        "Max" => "y = max(a, b)",
        "Min" => "y = min(a, b)",
        _ => "y = a + b",
    };
    let inputs = call.inputs()?;
    let mut y = call.input(0)?.clone();
    for input in &inputs[1..] {
        y = Line::new(operation, y.kind).apply(call.device, &[&y, input])?;
    }
    if call.node.operator == "Mean" {
        y = Line::new("y = a / T(p)", y.kind).values(&[inputs.len() as f32]).apply(call.device, &[&y])?;
    }
    Ok(vec![y])
}

/// Computes dropout, which keeps all elements except in training.
pub(super) fn dropout(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let trains = call.optional(2).map(Array::integers).transpose()?.is_some_and(|flag| flag != [0]);
    let ratio = call.optional(1).map(Array::number).transpose()?.unwrap_or(0.5);
    if trains && ratio != 0.0 {
        return skip("random bits of NumPy's generator");
    }
    let x = call.input(0)?;
    let mask = Array::written::<u8>(call.device, Type::Bool, x.shape.clone(), |mask| Ok(anywarp::ops::full(1, mask)?))?;
    Ok(vec![x.clone(), mask])
}

pub(super) fn convert(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let to = match call.kind("to")? {
        Some(kind) => kind,
        None => call.input(1)?.kind,
    };
    Ok(vec![cast(call.device, call.input(0)?, to)?])
}

/// Reinterprets the bits of elements as another type of the same size.
pub(super) fn bit_cast(call: &Call<'_>) -> TestResult<Vec<Array>> {
    let x = call.input(0)?;
    let Some(to) = call.kind("to")? else { return fail!("has no type") };
    let integers = !x.kind.is_float() && !to.is_float();
    let y = match integers {
        // A conversion between integers of one size keeps the bits.
        true => super::line::converted(call.device, x, to)?,
        false => Line::new("y = bitcast<Y>(a)", to).apply(call.device, &[x])?,
    };
    Ok(vec![y])
}
