//! Fourier transforms by their definition, in `f64`.

use std::f64::consts::TAU;

/// The sums of `x[j] * exp(-2 pi i j k / n)` for each line of a shape along `axis`; the sign of the angle is positive
/// for an inverse transform, which is not divided.
pub(crate) fn fft(x: &[[f64; 2]], shape: &[usize], axis: usize, inverse: bool) -> Vec<[f64; 2]> {
    let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let sign = if inverse { 1.0 } else { -1.0 };
    let roots: Vec<[f64; 2]> = (0..length)
        .map(|power| (sign * TAU * power as f64 / length as f64).sin_cos())
        .map(|(sine, cosine)| [cosine, sine])
        .collect();
    let result = |at: usize| {
        let (line, k, column) = (at / inner / length, at / inner % length, at % inner);
        let mut sum = [0.0; 2];
        for j in 0..length {
            let ([a, b], [c, d]) = (x[(line * length + j) * inner + column], roots[j * k % length]);
            sum = [sum[0] + a * c - b * d, sum[1] + a * d + b * c];
        }
        sum
    };
    (0..x.len()).map(result).collect()
}
