//! Fourier transforms in `f64`: by their definition for prime lengths, by that of parts for others.

use std::f64::consts::TAU;

/// The sums of `x[j] * exp(-2 pi i j k / n)` for each line of a shape along `axis`; the sign of the angle is positive
/// for an inverse transform, which is not divided.
pub(crate) fn fft(x: &[[f64; 2]], shape: &[usize], axis: usize, inverse: bool) -> Vec<[f64; 2]> {
    let (length, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let mut y = vec![[0.0; 2]; x.len()];
    for start in (0..x.len()).filter(|at| at / inner % length == 0) {
        let numbers: Vec<[f64; 2]> = (0..length).map(|at| x[start + at * inner]).collect();
        for (at, number) in line(&numbers, if inverse { 1.0 } else { -1.0 }).into_iter().enumerate() {
            y[start + at * inner] = number;
        }
    }
    y
}

/// The transform of one line: the sums over the transforms of the numbers that are the least factor of the length apart;
/// those of a prime length by the definition.
fn line(x: &[[f64; 2]], sign: f64) -> Vec<[f64; 2]> {
    let length = x.len();
    let Some(factor) = (2..=length).find(|factor| length.is_multiple_of(*factor)) else { return x.to_vec() };
    let part = |first: usize| x[first..].iter().step_by(factor).copied().collect::<Vec<_>>();
    let parts: Vec<Vec<[f64; 2]>> = (0..factor).map(|first| line(&part(first), sign)).collect();
    let turn = |power: usize| (sign * TAU * power as f64 / length as f64).sin_cos();
    let roots: Vec<[f64; 2]> = (0..length).map(turn).map(|(sine, cosine)| [cosine, sine]).collect();
    let mut y = vec![[0.0; 2]; length];
    for (k, sum) in y.iter_mut().enumerate() {
        let mut power = 0;
        for part in &parts {
            let ([a, b], [c, d]) = (part[k % part.len()], roots[power]);
            *sum = [sum[0] + a * c - b * d, sum[1] + a * d + b * c];
            power += k;
            if power >= length {
                power -= length;
            }
        }
    }
    y
}
