//! The reference implementation in plain Rust, for arrays of shape `[examples, channels, elements of a channel]`.

/// The mean and the variance of each channel.
pub(crate) fn statistics(x: &[f64], [examples, channels, inner]: [usize; 3]) -> Vec<[f64; 2]> {
    let of_channel = |channel: usize| {
        let all: Vec<f64> =
            (0..examples * inner).map(|at| x[(at / inner * channels + channel) * inner + at % inner]).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        [mean, all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64]
    };
    (0..channels).map(of_channel).collect()
}

/// `(x - mean) / sqrt(variance + epsilon) * scale + bias`, with `weights(channel)` for scale and bias.
pub(crate) fn batch_norm(
    x: &[f64],
    [_, channels, inner]: [usize; 3],
    statistics: &[[f64; 2]],
    epsilon: f64,
    weights: impl Fn(usize) -> [f64; 2],
) -> Vec<f64> {
    let result = |(at, x): (usize, &f64)| {
        let channel = at / inner % channels;
        let ([mean, variance], [scale, bias]) = (statistics[channel], weights(channel));
        (x - mean) / (variance + epsilon).sqrt() * scale + bias
    };
    x.iter().enumerate().map(result).collect()
}

/// The derivatives by the elements, by the scale and by the bias.
pub(crate) fn backward(
    x: &[f64],
    dy: &[f64],
    shape @ [examples, channels, inner]: [usize; 3],
    epsilon: f64,
    scale: impl Fn(usize) -> f64,
) -> [Vec<f64>; 3] {
    let statistics = statistics(x, shape);
    let n = batch_norm(x, shape, &statistics, epsilon, |_| [1.0, 0.0]);
    let (mut by_scale, mut by_bias) = (vec![0.0; channels], vec![0.0; channels]);
    for (at, dy) in dy.iter().enumerate() {
        by_scale[at / inner % channels] += dy * n[at];
        by_bias[at / inner % channels] += dy;
    }
    let count = (examples * inner) as f64;
    let dx = (0..x.len()).map(|at| {
        let channel = at / inner % channels;
        let inverse = 1.0 / (statistics[channel][1] + epsilon).sqrt();
        scale(channel) * inverse * (dy[at] - by_bias[channel] / count - n[at] * by_scale[channel] / count)
    });
    [dx.collect(), by_scale, by_bias]
}
