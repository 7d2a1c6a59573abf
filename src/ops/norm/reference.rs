//! The reference implementation in plain Rust.

/// Each row without its mean, if it is `centred`, divided by the root of its mean square plus `epsilon`; and the mean and
/// the inverse of that root of each row. `weights(i)` are scale and bias of element i.
pub(crate) fn norm(
    x: &[f64],
    length: usize,
    centred: bool,
    epsilon: f64,
    weights: impl Fn(usize) -> [f64; 2],
) -> [Vec<f64>; 3] {
    let (mut y, mut means, mut inverses) = (Vec::new(), Vec::new(), Vec::new());
    for (row, x) in x.chunks(length).enumerate() {
        let mean = if centred { x.iter().sum::<f64>() / length as f64 } else { 0.0 };
        let square = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / length as f64;
        let inverse = if square.is_finite() { 1.0 / (square + epsilon).sqrt() } else { f64::NAN };
        means.push(if square.is_finite() { mean } else { f64::NAN });
        inverses.push(inverse);
        for (k, x) in x.iter().enumerate() {
            let [scale, bias] = weights(row * length + k);
            y.push((x - mean) * inverse * scale + bias);
        }
    }
    [y, means, inverses]
}
