//! Compares each function on edge values with plain Rust.
//!
//! Every case runs twice: with variables as operands, and with constants, which the builder folds in part.

mod bits;
mod conversions;
mod eval;
mod floats;
mod vectors;

use naga::{MathFunction, Scalar, TypeInner, VectorSize};

use super::Operand;
use crate::ir::{Builder, Value};
use eval::eval;

/// The type of an operand, and the bits of its components.
type Input = (TypeInner, Vec<u64>);

const F64: Scalar = Scalar::F64;

fn size(count: usize) -> VectorSize {
    match count {
        2 => VectorSize::Bi,
        3 => VectorSize::Tri,
        _ => VectorSize::Quad,
    }
}

/// Returns a scalar operand, or a vector if there are several components.
fn input(scalar: Scalar, bits: &[u64]) -> Input {
    let inner = match bits {
        [_] => TypeInner::Scalar(scalar),
        _ => TypeInner::Vector { size: size(bits.len()), scalar },
    };
    (inner, bits.to_vec())
}

fn floats(scalar: Scalar, values: &[f32]) -> Input {
    let bits: Vec<_> = values.iter().map(|x| u64::from(x.to_bits())).collect();
    input(scalar, &bits)
}

/// Returns the bits of the components that `build` computes from the inputs.
fn run(inputs: &[Input], build: impl Fn(&mut Builder, &[Operand<'_>]) -> Result<Vec<Value>, String>) -> Vec<u64> {
    let mut outcomes = [false, true].map(|constant| {
        let mut b = Builder::new([1, 1, 1]);
        let mut vars = Vec::new();
        let mut all = Vec::new();
        for (inner, bits) in inputs {
            let scalar = inner.scalar().expect("inputs have scalars");
            let class = super::operand::class(scalar).expect("inputs have classes");
            let mut values = Vec::new();
            for component in bits {
                if constant {
                    values.push(b.constant(class, *component));
                } else {
                    let var = b.var(class);
                    vars.push(*component);
                    values.push(b.read(var));
                }
            }
            all.push((inner, values));
        }
        let operands: Vec<_> = all.iter().map(|(inner, values)| Operand { inner, values }).collect();
        let results = build(&mut b, &operands).expect("the function exists");
        eval(b, &vars, &results)
    });
    // Two NaN may have different bits.
    let last = std::mem::take(&mut outcomes[1]);
    assert_eq!(outcomes[0].len(), last.len());
    for (x, y) in outcomes[0].iter().zip(&last) {
        let nan = |bits: u64| f32::from_bits(bits as u32).is_nan() || f64::from_bits(bits).is_nan();
        assert!(x == y || (nan(*x) && nan(*y)), "{x:#x} from variables, {y:#x} from constants: {inputs:?}");
    }
    last
}

fn math(fun: MathFunction, inputs: &[Input]) -> Vec<u64> {
    run(inputs, |b, operands| super::math(b, fun, operands))
}

/// Returns the result of a function whose components are `f32`.
fn math_f32(fun: MathFunction, inputs: &[Input]) -> Vec<f32> {
    math(fun, inputs).into_iter().map(|bits| f32::from_bits(bits as u32)).collect()
}

fn binary(op: naga::BinaryOperator, left: &Input, right: &Input) -> Vec<u64> {
    run(&[left.clone(), right.clone()], |b, operands| super::binary(b, op, operands[0], operands[1]))
}
