//! Functions of whole vectors.

use std::sync::Arc;

use anywarp_testing::random::Random;

use crate::operator_suite::accuracy::{Inexact, near};
use crate::operator_suite::edges::{RandomValue, Row};
use crate::operator_suite::scalar::{FLOATS, INTEGERS, Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::table::Case;
use crate::operator_suite::want::Want;

type Vectors<'a> = &'a [Vec<Inexact>];
type Reference = fn(Vectors<'_>) -> Vec<Want>;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scalar in FLOATS.iter().copied() {
        for lanes in 2..=4 {
            let same = |count: usize| vec![Type::vector(scalar, lanes); count];
            let (vector, one) = (Type::vector(scalar, lanes), Type::scalar(scalar));
            let mut add = |name: &str, expression, arguments, result, reference| {
                let name = format!("builtins::{}::{name}_vec{lanes}", scalar.name());
                cases.push(Case::sweep(name, sweep(expression, arguments, result, reference)));
            };
            add("dot", "dot(x, y)", same(2), one, |v| vec![formula(dot(&v[0], &v[1]))]);
            add("length", "length(x)", same(1), one, |v| vec![formula(dot(&v[0], &v[0]).sqrt())]);
            add("distance", "distance(x, y)", same(2), one, |v| {
                let apart: Vec<Inexact> = v[0].iter().zip(&v[1]).map(|(x, y)| *x - *y).collect();
                vec![formula(dot(&apart, &apart).sqrt())]
            });
            add("normalize", "normalize(x)", same(1), vector, normalize);
            add("faceForward", "faceForward(x, y, z)", same(3), vector, face_forward);
            add("reflect", "reflect(x, y)", same(2), vector, |v| {
                let twice = v[0][0].of(2.0) * dot(&v[0], &v[1]);
                v[0].iter().zip(&v[1]).map(|(x, y)| formula(*x - twice * *y)).collect()
            });
            add("refract", "refract(x, y, z)", vec![vector, vector, one], vector, refract);
            if lanes == 3 {
                add("cross", "cross(x, y)", same(2), vector, |v| {
                    let part = |i: usize, j: usize| formula(v[0][i] * v[1][j] - v[0][j] * v[1][i]);
                    vec![part(1, 2), part(2, 0), part(0, 1)]
                });
            }
        }
        let of_scalars: [(&str, usize, Reference); 2] = [
            ("length(x)", 1, |v| vec![formula(dot(&v[0], &v[0]).sqrt())]),
            ("distance(x, y)", 2, |v| {
                let apart = v[0][0] - v[1][0];
                vec![formula((apart * apart).sqrt())]
            }),
        ];
        for (expression, count, reference) in of_scalars {
            let function = expression.split('(').next().unwrap_or_default();
            let name = format!("builtins::{}::{function}_scalar", scalar.name());
            let one = Type::scalar(scalar);
            cases.push(Case::sweep(name, sweep(expression, vec![one; count], one, reference)));
        }
    }
    cases.extend(integer_dots());
    cases
}

/// Expects the formula's value within its error; any value if the error is unbounded.
fn formula(value: Inexact) -> Want {
    if value.error.is_finite() { near(value.scalar, value.value, value.error) } else { Want::Any }
}

fn dot(x: &[Inexact], y: &[Inexact]) -> Inexact {
    let products = x.iter().zip(y).map(|(x, y)| *x * *y);
    products.reduce(|sum, product| sum + product).unwrap_or_else(|| Inexact::exact(Scalar::F32, 0.0))
}

fn normalize(v: Vectors<'_>) -> Vec<Want> {
    let length = dot(&v[0], &v[0]).sqrt();
    v[0].iter().map(|x| formula(*x / length)).collect()
}

fn face_forward(v: Vectors<'_>) -> Vec<Want> {
    let terms: Vec<Inexact> = v[1].iter().zip(&v[2]).map(|(x, y)| *x * *y).collect();
    let (in_order, in_any_order) = (dot(&v[1], &v[2]), sum_in_any_order(&terms));
    v[0].iter().map(|x| Want::per_backend(facing(*x, in_order), facing(*x, in_any_order))).collect()
}

/// Expects `x` or its opposite, by the sign of `side`; either if the error of `side` is larger than its value.
fn facing(x: Inexact, side: Inexact) -> Want {
    let (same, opposite) = (Want::float(x.scalar, x.value), Want::float(x.scalar, -x.value));
    match side.value {
        value if !side.error.is_finite() || value.abs() <= side.error => Want::OneOf(vec![same, opposite]),
        value if value < 0.0 => same,
        _ => opposite,
    }
}

/// A sum with the largest error over all orders of additions: WGSL does not define the order, and which partial sums
/// are flushed depends on it.
fn sum_in_any_order(terms: &[Inexact]) -> Inexact {
    let mut worst = terms[0];
    for i in 1..terms.len() {
        for j in 0..i {
            let others = terms.iter().enumerate().filter(|(at, _)| *at != i && *at != j).map(|(_, term)| *term);
            let sum = sum_in_any_order(&others.chain([terms[i] + terms[j]]).collect::<Vec<_>>());
            if i + j == 1 || sum.error > worst.error {
                worst = sum;
            }
        }
    }
    worst
}

fn refract(v: Vectors<'_>) -> Vec<Want> {
    let (incident, normal, ratio) = (&v[0], &v[1], v[2][0]);
    let along = dot(normal, incident);
    let one = ratio.of(1.0);
    let k = one - ratio * ratio * (one - along * along);
    if !k.error.is_finite() || k.value.abs() <= k.error {
        return vec![Want::Any; incident.len()];
    }
    if k.value < 0.0 {
        return incident.iter().map(|x| Want::float(x.scalar, 0.0)).collect();
    }
    let bend = ratio * along + k.sqrt();
    incident.iter().zip(normal).map(|(x, n)| formula(ratio * *x - bend * *n)).collect()
}

fn sweep(expression: &str, arguments: Vec<Type>, result: Type, reference: Reference) -> Sweep {
    let types = arguments.clone();
    Sweep {
        expression: expression.to_owned(),
        arguments,
        result,
        before: "",
        rows: Arc::new(move || vectors(&types)),
        reference: Arc::new(move |row| {
            let exact = |values: &Vec<Value>| values.iter().map(|v| Inexact::exact(v.scalar, v.f())).collect();
            let row: Vec<Vec<Inexact>> = row.iter().map(exact).collect();
            reference(&row)
        }),
        features: &[],
        only_cpu: None,
    }
}

/// Vectors of moderate size, of unit length, with zeros, and of extreme size.
fn vectors(types: &[Type]) -> Vec<Row> {
    let mut random = Random::from_state(5);
    let mut rows = Vec::new();
    for round in 0..400 {
        let row = types.iter().map(|ty| {
            let mut values: Vec<f64> = (0..ty.lanes()).map(|_| random.unit() * 4.0 - 2.0).collect();
            match round % 8 {
                0 => values.iter_mut().for_each(|value| *value = value.round()),
                1 | 2 if ty.lanes() > 1 => {
                    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
                    values.iter_mut().for_each(|value| *value /= length);
                }
                3 => values.iter_mut().for_each(|value| *value *= ty.scalar.greatest().sqrt() / 8.0),
                4 => values.iter_mut().for_each(|value| *value *= ty.scalar.min_normal().sqrt()),
                5 if round % 16 == 5 => values.fill(0.0),
                _ => {}
            }
            values.into_iter().map(|value| Value::float(ty.scalar, value)).collect()
        });
        rows.push(row.collect());
    }
    rows
}

fn integer_dots() -> Vec<Case> {
    let mut cases = Vec::new();
    for scalar in INTEGERS.iter().copied() {
        for lanes in 2..=4 {
            let rows = move || {
                let mut random = Random::from_state(6);
                let mut vector = || (0..lanes).map(|_| random.value(scalar)).collect::<Vec<Value>>();
                (0..300).map(|_| vec![vector(), vector()]).collect()
            };
            let sum = |row: &[Vec<Value>]| {
                row[0].iter().zip(&row[1]).fold(0i128, |sum, (x, y)| sum.wrapping_add(x.i().wrapping_mul(y.i())))
            };
            let sweep = Sweep {
                expression: "dot(x, y)".to_owned(),
                arguments: vec![Type::vector(scalar, lanes); 2],
                result: Type::scalar(scalar),
                before: "",
                rows: Arc::new(rows),
                reference: Arc::new(move |row| vec![Want::int(scalar, sum(row))]),
                features: &[],
                only_cpu: None,
            };
            cases.push(Case::sweep(format!("builtins::{}::dot_vec{lanes}", scalar.name()), sweep));
        }
    }
    cases
}
