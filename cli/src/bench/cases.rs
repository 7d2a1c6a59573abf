//! The operators that are measured: their inputs, and the results that they must give.

use std::borrow::Cow;

use crate::dtype::Dtype;
use crate::npy::Array;
use crate::op::Input;

/// An operator to measure: its call, its inputs, and the check of its results.
pub(super) struct Case {
    pub(super) operator: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    data: Data,
    /// Verifies the outputs of one run.
    pub(super) check: fn(&[Input], &[Array]) -> Result<(), String>,
    /// The same computation as a loop on the host: the peer of a processor.
    pub(super) host: Option<fn(&[Input])>,
    /// The same computation as an expression in `x` for torch: the peer of a CUDA device.
    pub(super) torch: Option<&'static str>,
}

/// The inputs of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    /// No input; the shape is a parameter.
    None,
    /// Small numbers of type `f32`, with repetitions.
    Floats,
    /// Numbers below 256 of type `u32`.
    Words,
    /// Two square matrices of type `f32`, with the size that `side` returns.
    Matrices,
}

pub(super) const CASES: &[Case] = &[
    Case {
        operator: "sum",
        parameters: &[],
        data: Data::Floats,
        check: |inputs, outputs| {
            near(floats(&outputs[0])[0], floats(&inputs[0].array).iter().map(|x| f64::from(*x)).sum())
        },
        host: Some(|inputs| keep(floats(&inputs[0].array).iter().sum::<f32>())),
        torch: Some("x.sum()"),
    },
    Case {
        operator: "max",
        parameters: &[],
        data: Data::Floats,
        check: |inputs, outputs| {
            let greatest = floats(&inputs[0].array).iter().copied().fold(f32::NEG_INFINITY, f32::max);
            near(floats(&outputs[0])[0], greatest.into())
        },
        host: Some(|inputs| keep(floats(&inputs[0].array).iter().copied().fold(f32::NEG_INFINITY, f32::max))),
        torch: Some("x.max()"),
    },
    Case {
        operator: "cumulative_sum",
        parameters: &[],
        data: Data::Words,
        check: |inputs, outputs| equal(&words(&outputs[0]), &sums(&words(&inputs[0].array))),
        host: Some(|inputs| keep(sums(&words(&inputs[0].array)))),
        torch: Some("x.cumsum(0)"),
    },
    Case {
        operator: "sort",
        parameters: &[],
        data: Data::Words,
        check: |inputs, outputs| equal(&words(&outputs[0]), &sorted(&words(&inputs[0].array))),
        host: Some(|inputs| keep(sorted(&words(&inputs[0].array)))),
        torch: Some("x.sort()"),
    },
    Case {
        operator: "select",
        parameters: &[("condition", "x < 128u")],
        data: Data::Words,
        check: |inputs, outputs| equal(&words(&outputs[0]), &below(&words(&inputs[0].array))),
        host: Some(|inputs| keep(below(&words(&inputs[0].array)))),
        torch: Some("x[x < 128]"),
    },
    Case {
        operator: "bincount",
        parameters: &[("bins", "256")],
        data: Data::Words,
        check: |inputs, outputs| equal(&words(&outputs[0]), &counts(&words(&inputs[0].array))),
        host: Some(|inputs| keep(counts(&words(&inputs[0].array)))),
        torch: Some("x.bincount()"),
    },
    Case {
        operator: "elementwise",
        parameters: &[("inputs", "x: T"), ("outputs", "y: T"), ("operation", "y = 2.5 * x + 1.0")],
        data: Data::Floats,
        check: |inputs, outputs| {
            let (x, y) = (floats(&inputs[0].array), floats(&outputs[0]));
            if x.len() != y.len() {
                return Err(format!("expected {} elements, found {}", x.len(), y.len()));
            }
            x.iter().zip(y.iter()).try_for_each(|(x, y)| near(*y, 2.5 * f64::from(*x) + 1.0))
        },
        host: Some(|inputs| keep(floats(&inputs[0].array).iter().map(|x| 2.5 * x + 1.0).collect::<Vec<_>>())),
        torch: Some("2.5 * x + 1"),
    },
    Case {
        operator: "matmul",
        parameters: &[],
        data: Data::Matrices,
        check: |inputs, outputs| {
            let (a, b, c) = (floats(&inputs[0].array), floats(&inputs[1].array), floats(&outputs[0]));
            let side = inputs[0].array.shape[0] as usize;
            // One element of each row is checked, because a check of all would take longer than the measurement.
            (0..side).try_for_each(|row| {
                let column = row * 7 % side;
                let sum = (0..side).map(|k| f64::from(a[row * side + k]) * f64::from(b[k * side + column])).sum();
                near(c[row * side + column], sum)
            })
        },
        host: None,
        torch: None,
    },
    Case {
        operator: "random_uniform",
        parameters: &[("seed", "1"), ("stream", "0"), ("offset", "0")],
        data: Data::None,
        check: |_, outputs| {
            let x = floats(&outputs[0]);
            let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / x.len() as f64;
            let within = x.iter().all(|x| (0.0..1.0).contains(x)) && (mean - 0.5).abs() < 1.5 / (x.len() as f64).sqrt();
            if within {
                Ok(())
            } else {
                Err(format!("expected numbers from 0 to 1 with a mean near 0.5, found the mean {mean}"))
            }
        },
        host: None,
        torch: None,
    },
];

impl Case {
    pub(super) fn parameters(&self, n: usize) -> Vec<(&'static str, String)> {
        let shape = (self.data == Data::None).then(|| ("shape", n.to_string()));
        self.parameters.iter().map(|(name, text)| (*name, (*text).to_owned())).chain(shape).collect()
    }

    pub(super) fn inputs(&self, n: usize) -> Vec<Input> {
        let port = if self.operator == "elementwise" { "arguments" } else { "x" };
        let hash = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 24;
        let one = |port, dtype, shape, bytes| Input {
            matrix: None,
            port,
            text: port.to_owned(),
            array: Array { dtype, shape, bytes },
            is_number: false,
        };
        let numbers = |n: usize| (0..n).flat_map(|at| (hash(at) as f32 / 256.0).to_le_bytes()).collect::<Vec<u8>>();
        match self.data {
            Data::None => Vec::new(),
            Data::Floats => vec![one(port, Dtype::F4, vec![n as u64], numbers(n))],
            Data::Words => {
                vec![one(port, Dtype::U4, vec![n as u64], (0..n).flat_map(|at| hash(at).to_le_bytes()).collect())]
            }
            Data::Matrices => {
                let side = side(n);
                let matrix = |port| one(port, Dtype::F4, vec![side as u64; 2], numbers(side * side));
                vec![matrix("a"), matrix("b")]
            }
        }
    }

    /// The least number of bytes that the operator reads and writes, for operators that do not state their cost: the
    /// total size of their arrays.
    pub(super) fn bytes(&self, n: usize) -> u64 {
        let n = n as u64;
        match self.operator {
            "sum" | "max" => 4 * n + 4,
            "matmul" => 12 * (side(n as usize) as u64).pow(2),
            "random_uniform" => 4 * n,
            _ => 8 * n,
        }
    }
}

/// The side of the matrices for `n` elements, so that their product takes about as long as the other cases.
fn side(n: usize) -> usize {
    ((n / 8) as f64).sqrt().max(8.0) as usize / 8 * 8
}

fn floats(array: &Array) -> Cow<'_, [f32]> {
    elements(array)
}

fn words(array: &Array) -> Cow<'_, [u32]> {
    elements(array)
}

/// The elements of an array. Aligned elements are not copied, so that the peer's time does not include a copy.
fn elements<T: bytemuck::Pod>(array: &Array) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(&array.bytes) {
        Ok(elements) => Cow::Borrowed(elements),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(&array.bytes)),
    }
}

fn sums(x: &[u32]) -> Vec<u32> {
    let mut sum = 0_u32;
    let next = |x: &u32| {
        sum = sum.wrapping_add(*x);
        sum
    };
    x.iter().map(next).collect()
}

fn sorted(x: &[u32]) -> Vec<u32> {
    let mut x = x.to_vec();
    x.sort_unstable();
    x
}

fn below(x: &[u32]) -> Vec<u32> {
    x.iter().copied().filter(|x| *x < 128).collect()
}

fn counts(x: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 256];
    x.iter().for_each(|x| counts[*x as usize] += 1);
    counts
}

/// Prevents the compiler from removing the computation of a value.
fn keep<T>(value: T) {
    std::hint::black_box(value);
}

fn near(got: f32, wanted: f64) -> Result<(), String> {
    let within = (f64::from(got) - wanted).abs() <= 1e-4 * wanted.abs().max(1.0);
    if within { Ok(()) } else { Err(format!("expected {wanted}, found {got}")) }
}

fn equal(got: &[u32], wanted: &[u32]) -> Result<(), String> {
    if got.len() != wanted.len() {
        return Err(format!("expected {} elements, found {}", wanted.len(), got.len()));
    }
    match got.iter().zip(wanted).position(|(got, wanted)| got != wanted) {
        Some(at) => Err(format!("element {at}: expected {}, found {}", wanted[at], got[at])),
        None => Ok(()),
    }
}
