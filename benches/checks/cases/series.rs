//! Long vectors of numbers.

use crate::case::{Case, Scale, random_floats};

fn count(scale: Scale) -> usize {
    scale.pick(1 << 15, 1 << 21, 1 << 26) - 7
}

pub(super) fn saxpy(scale: Scale) -> Case {
    let (x, y) = (random_floats(count(scale), 1), random_floats(count(scale), 2));
    Case::of(include_str!("../kernels/saxpy.wgsl"))
        .param_bits(&[1.5f32.to_bits()])
        .input("x", &x)
        .input("y", &y)
        .output("sum", x.len())
        .threads([x.len(), 1, 1], [256, 1, 1])
        .floats(1e-6, move |at| 1.5 * x[at] + y[at])
}

pub(super) fn dot(scale: Scale) -> Case {
    let (a, b) = (random_floats(count(scale), 1), random_floats(count(scale), 2));
    let parts = a.len().div_ceil(4096);
    Case::of(include_str!("../kernels/dot.wgsl"))
        .input("a", &a)
        .input("b", &b)
        .output("parts", parts)
        .threads([parts, 1, 1], [1, 1, 1])
        .compared(1 << 9)
        .floats(1e-3, move |part| {
            let block = part * 4096..(part * 4096 + 4096).min(a.len());
            block.map(|at| f64::from(a[at]) * f64::from(b[at])).sum::<f64>() as f32
        })
}

pub(super) fn gelu(scale: Scale) -> Case {
    let x: Vec<f32> = random_floats(count(scale), 1).into_iter().map(|x| 4.0 * x).collect();
    Case::of(include_str!("../kernels/gelu.wgsl"))
        .input("x", &x)
        .output("y", x.len())
        .threads([x.len(), 1, 1], [1024, 1, 1])
        .floats(1e-4, move |at| {
            let x = f64::from(x[at]);
            (0.5 * x * (1.0 + (0.797_884_560_8 * (x + 0.044_715 * x * x * x)).tanh())) as f32
        })
}

pub(super) fn fft_stage(scale: Scale) -> Case {
    let (length, span) = (scale.pick(1 << 13, 1 << 20, 1 << 25), 64);
    let before = random_floats(length * 2, 1);
    Case::of(include_str!("../kernels/fft_stage.wgsl"))
        .params(&[length, span])
        .input("before", &before)
        .output("after", length * 2)
        .threads([length / 2, 1, 1], [128, 1, 1])
        .floats(1e-3, move |at| {
            let (place, imaginary) = (at / 2, at % 2);
            let (within, second) = (place % span, place / span % 2 == 1);
            let pair = place / (2 * span) * span + within;
            let number = |at: usize| [f64::from(before[2 * at]), f64::from(before[2 * at + 1])];
            let (one, two) = (number(pair), number(pair + length / 2));
            let (sine, cosine) = (-std::f64::consts::PI * within as f64 / span as f64).sin_cos();
            let turned = [cosine * two[0] - sine * two[1], cosine * two[1] + sine * two[0]];
            let sign = if second { -1.0 } else { 1.0 };
            (one[imaginary] + sign * turned[imaginary]) as f32
        })
}
