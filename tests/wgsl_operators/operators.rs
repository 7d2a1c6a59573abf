//! Arithmetic, comparison, bit and logical operators.

use std::sync::Arc;

use crate::operator_suite::accuracy::{correctly_rounded, rounded};
use crate::operator_suite::edges::combinations;
use crate::operator_suite::program::Program;
use crate::operator_suite::scalar::{ALL, INTEGERS, NUMBERS, SIGNED, Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::{Case, Componentwise};
use crate::operator_suite::want::Want;
use anywarp_testing_devices::outcome::same;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = COMPONENTWISE.iter().flat_map(|operator| operator.cases("operators")).collect();
    cases.extend(scalar_logic());
    cases.extend(assignments());
    cases.push(Case::new("operators::bool::short_circuit", short_circuit));
    cases
}

const BOOL: &[Scalar] = &[Scalar::Bool];

const COMPONENTWISE: &[Componentwise] = &[
    Componentwise::new("add", "x + y", NUMBERS, add).binary().mixed(),
    Componentwise::new("subtract", "x - y", NUMBERS, subtract).binary().mixed(),
    Componentwise::new("multiply", "x * y", NUMBERS, multiply).binary().mixed(),
    Componentwise::new("divide", "x / y", NUMBERS, divide).binary().mixed(),
    Componentwise::new("remainder", "x % y", NUMBERS, remainder).binary().mixed(),
    Componentwise::new("negate", "-x", SIGNED, negate),
    Componentwise::new("equal", "x == y", ALL, |_, v| compare(v, |o| o == Some(0))).binary().gives(Scalar::Bool),
    Componentwise::new("not_equal", "x != y", ALL, |_, v| compare(v, |o| o != Some(0))).binary().gives(Scalar::Bool),
    Componentwise::new("less", "x < y", NUMBERS, |_, v| compare(v, |o| o == Some(-1))).binary().gives(Scalar::Bool),
    Componentwise::new("less_equal", "x <= y", NUMBERS, |_, v| compare(v, |o| matches!(o, Some(-1 | 0))))
        .binary()
        .gives(Scalar::Bool),
    Componentwise::new("greater", "x > y", NUMBERS, |_, v| compare(v, |o| o == Some(1))).binary().gives(Scalar::Bool),
    Componentwise::new("greater_equal", "x >= y", NUMBERS, |_, v| compare(v, |o| matches!(o, Some(1 | 0))))
        .binary()
        .gives(Scalar::Bool),
    Componentwise::new("and", "x & y", INTEGERS, |s, v| Want::Is(Value::new(s, v[0].bits & v[1].bits))).binary(),
    Componentwise::new("or", "x | y", INTEGERS, |s, v| Want::Is(Value::new(s, v[0].bits | v[1].bits))).binary(),
    Componentwise::new("exclusive_or", "x ^ y", INTEGERS, |s, v| Want::Is(Value::new(s, v[0].bits ^ v[1].bits)))
        .binary(),
    Componentwise::new("complement", "~x", INTEGERS, |s, v| Want::Is(Value::new(s, !v[0].bits))),
    Componentwise::new("shift_left", "x << y", INTEGERS, |s, v| Want::int(s, v[0].i() << amount(s, v[1])))
        .takes(|s| vec![s, Scalar::U32], &[]),
    Componentwise::new("shift_right", "x >> y", INTEGERS, |s, v| Want::int(s, v[0].i() >> amount(s, v[1])))
        .takes(|s| vec![s, Scalar::U32], &[]),
    Componentwise::new("and_bool", "x & y", BOOL, |_, v| Want::bool(v[0].b() & v[1].b())).binary(),
    Componentwise::new("or_bool", "x | y", BOOL, |_, v| Want::bool(v[0].b() | v[1].b())).binary(),
    Componentwise::new("not", "!x", BOOL, |_, v| Want::bool(!v[0].b())),
    Componentwise::new("select", "select(x, y, z)", ALL, |_, v| Want::Is(if v[2].b() { v[1] } else { v[0] }))
        .takes(|s| vec![s, s, Scalar::Bool], &[]),
    Componentwise::new("select_one", "select(x, y, z)", ALL, |_, v| Want::Is(if v[2].b() { v[1] } else { v[0] }))
        .takes(|s| vec![s, s, Scalar::Bool], &[2]),
];

fn add(scalar: Scalar, v: &[Value]) -> Want {
    if scalar.is_float() {
        correctly_rounded(scalar, v[0].f() + v[1].f())
    } else {
        Want::int(scalar, v[0].i() + v[1].i())
    }
}

fn subtract(scalar: Scalar, v: &[Value]) -> Want {
    if scalar.is_float() {
        correctly_rounded(scalar, v[0].f() - v[1].f())
    } else {
        Want::int(scalar, v[0].i() - v[1].i())
    }
}

fn multiply(scalar: Scalar, v: &[Value]) -> Want {
    if scalar.is_float() {
        return correctly_rounded(scalar, v[0].f() * v[1].f());
    }
    // The product of two u64 may exceed i128, but its low bits are correct.
    Want::int(scalar, v[0].i().wrapping_mul(v[1].i()))
}

/// The expected quotient. A division by zero, and of the least value by -1, returns the dividend.
fn divide(scalar: Scalar, v: &[Value]) -> Want {
    if !scalar.is_float() {
        let (x, y) = (v[0].i(), v[1].i());
        return Want::int(scalar, if y == 0 { x } else { x / y });
    }
    let (x, y) = (v[0].f(), v[1].f());
    let range = scalar.min_normal()..=scalar.min_normal().recip();
    let ulps = if range.contains(&y.abs()) { 2.5 } else { f64::INFINITY };
    rounded(scalar, x / y, ulps)
}

/// The expected remainder. A remainder by zero, and of the least value by -1, is zero. Floats use `x - y * trunc(x /
/// y)`, with the error of that formula.
fn remainder(scalar: Scalar, v: &[Value]) -> Want {
    if !scalar.is_float() {
        let (x, y) = (v[0].i(), v[1].i());
        return Want::int(scalar, if y == 0 { 0 } else { x % y });
    }
    let (x, y) = (v[0].f(), v[1].f());
    let once = |value: f64| Value::float(scalar, value).f();
    let quotient = once(x / y).trunc();
    let formula = once(x - once(y * quotient));
    let fused = once((-y).mul_add(quotient, x));
    let exact = x % y;
    // f16 may be computed in f32 and rounded at the end.
    let wide = if scalar == Scalar::F16 {
        let (x, y) = (x as f32, y as f32);
        f64::from(x - y * (x / y).trunc())
    } else {
        formula
    };
    let cpu = Want::OneOf([exact, formula, fused, wide].map(|value| Want::float(scalar, value)).to_vec());
    let quotient = (x / y).abs();
    // The accuracy of the formula's division is specified only for divisors in this range.
    let range = scalar.min_normal()..=scalar.min_normal().recip();
    let others = if quotient < 1.0 / scalar.ulp(1.0) && range.contains(&y.abs()) {
        // The quotient may be rounded up to the next integer, or down to the previous one.
        let within = 2.5 * scalar.ulp(quotient) * y.abs() + scalar.ulp(x);
        let near = |value: f64| Want::Near { value, within };
        Want::OneOf(vec![near(exact), near(exact - y.copysign(x)), near(exact + y.copysign(x))])
    } else {
        Want::Any
    };
    Want::per_backend(cpu, others)
}

fn negate(scalar: Scalar, v: &[Value]) -> Want {
    if scalar.is_float() { Want::float(scalar, -v[0].f()) } else { Want::int(scalar, -v[0].i()) }
}

/// Passes the order of the operands to `holds`: -1, 0 or 1, or `None` if an operand is NaN.
fn compare(v: &[Value], holds: fn(Option<i32>) -> bool) -> Want {
    let order = if v[0].scalar.is_float() { v[0].f().partial_cmp(&v[1].f()) } else { Some(v[0].i().cmp(&v[1].i())) };
    Want::bool(holds(order.map(|order| order as i32)))
}

/// The amount of a shift, which is taken modulo the width.
fn amount(scalar: Scalar, amount: Value) -> u32 {
    amount.bits as u32 % scalar.width()
}

/// The cases of `&&` and `||`, which exist for scalars only, and of `all` and `any` for vectors.
fn scalar_logic() -> Vec<Case> {
    let sweep = |expression: &str, arguments: Vec<Type>, reference: fn(&[Vec<Value>]) -> bool| Sweep {
        expression: expression.to_owned(),
        rows: {
            let lanes: Vec<usize> = arguments.iter().map(|ty| ty.lanes()).collect();
            Arc::new(move || {
                let flat = combinations(&vec![Scalar::Bool; lanes.iter().sum()]);
                let split = |row: Vec<Vec<Value>>| {
                    let mut values = row.into_iter().flatten();
                    lanes.iter().map(|lanes| values.by_ref().take(*lanes).collect()).collect()
                };
                flat.into_iter().map(split).collect()
            })
        },
        arguments,
        result: Type::scalar(Scalar::Bool),
        before: "",
        reference: Arc::new(move |row| vec![Want::bool(reference(row))]),
        features: &[],
        only_cpu: None,
    };
    let one = Type::scalar(Scalar::Bool);
    let mut cases = vec![
        Case::sweep("operators::bool::short_and", sweep("x && y", vec![one; 2], |v| v[0][0].b() && v[1][0].b())),
        Case::sweep("operators::bool::short_or", sweep("x || y", vec![one; 2], |v| v[0][0].b() || v[1][0].b())),
        Case::sweep(
            "operators::bool::nested_short",
            sweep("(x && y) || (z && !(x || w))", vec![one; 4], |v| {
                (v[0][0].b() && v[1][0].b()) || (v[2][0].b() && !(v[0][0].b() || v[3][0].b()))
            }),
        ),
    ];
    for lanes in 1..=4 {
        let ty = Type::vector(Scalar::Bool, lanes);
        let all = sweep("all(x)", vec![ty], |v| v[0].iter().all(|value| value.b()));
        let any = sweep("any(x)", vec![ty], |v| v[0].iter().any(|value| value.b()));
        cases.push(Case::sweep(format!("builtins::bool::all_vec{lanes}"), all));
        cases.push(Case::sweep(format!("builtins::bool::any_vec{lanes}"), any));
    }
    cases
}

/// The right operand of `&&` and `||` has effects only if it is evaluated.
fn short_circuit(device: &anywarp::Device) -> anywarp_testing_devices::outcome::TestResult {
    let program = Program::new(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> result: array<u32>;
         var<private> calls: u32;
         fn counted(value: bool) -> bool { calls += 1u; return value; }
         @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let x = (a[id.x] & 1u) != 0u;
             let y = (a[id.x] & 2u) != 0u;
             let both = x && counted(y);
             let after_and = calls;
             let either = x || counted(y);
             let after_or = calls;
             let three = counted(x) && counted(y) && counted(!x);
             result[id.x * 6u] = u32(both);
             result[id.x * 6u + 1u] = after_and;
             result[id.x * 6u + 2u] = u32(either);
             result[id.x * 6u + 3u] = after_or;
             result[id.x * 6u + 4u] = u32(three);
             result[id.x * 6u + 5u] = calls;
         }",
    );
    let got = program.input("a", &[0, 1, 2, 3]).run(device, 24, 1)?;
    let mut wanted = Vec::new();
    for word in 0..4u32 {
        let (x, y) = (word & 1 != 0, word & 2 != 0);
        let after_and = u32::from(x);
        let after_or = after_and + u32::from(!x);
        let calls = after_or + 1 + u32::from(x) + u32::from(x && y);
        wanted.extend([u32::from(x && y), after_and, u32::from(x || y), after_or, 0, calls]);
    }
    same(&got, &wanted, "results and calls")
}

/// An assignment: its name, the type of `x` and `y`, statements that set `s`, and the expected value of `s`.
type Assignment = (&'static str, Scalar, &'static str, fn(i128, i128) -> i128);

/// The cases of `x op= y` and `x++`, on variables, components and elements.
fn assignments() -> Vec<Case> {
    let table: &[Assignment] = &[
        (
            "compound",
            Scalar::I32,
            "var s = x; s += y; s -= 3; s *= x; s ^= y; s &= 0x7fffff; s |= 8; s <<= 1u; s >>= 2u;",
            mixed_i32,
        ),
        (
            "compound",
            Scalar::U32,
            "var s = x; s += y; s -= 3u; s *= x; s ^= y; s &= 0x7fffffu; s |= 8u; s <<= 1u; s >>= 2u;",
            mixed_i32,
        ),
        (
            "increment",
            Scalar::I32,
            "var v = vec3<i32>(x, y, x); v.y++; v[2]--; v.x += v[2]; let s = v.x ^ v.y;",
            |x, y| (x as i32).wrapping_add((x as i32).wrapping_sub(1)) as i128 ^ (y as i32).wrapping_add(1) as i128,
        ),
    ];
    let case = |(name, scalar, before, reference): &Assignment| {
        let (scalar, reference) = (*scalar, *reference);
        Case::sweep(
            format!("operators::{}::{name}", scalar.name()),
            Sweep {
                expression: "s".to_owned(),
                arguments: vec![Type::scalar(scalar); 2],
                result: Type::scalar(scalar),
                before,
                rows: Arc::new(move || combinations(&[scalar; 2])),
                reference: Arc::new(move |row| vec![Want::int(scalar, reference(row[0][0].i(), row[1][0].i()))]),
                features: &[],
                only_cpu: None,
            },
        )
    };
    table.iter().map(case).collect()
}

fn mixed_i32(x: i128, y: i128) -> i128 {
    let (x, y) = (x as i32, y as i32);
    let s = x.wrapping_add(y).wrapping_sub(3).wrapping_mul(x) ^ y;
    i128::from((((s & 0x7f_ffff) | 8) << 1) >> 2)
}
