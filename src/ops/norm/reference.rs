//! The reference implementation in plain Rust.

/// Each row without its mean, if it is `centred`, divided by the root of its mean square plus `epsilon`; and the mean
/// and the inverse of that root of each row. `weights(i)` are scale and bias of element i.
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

/// The derivatives with respect to the elements, the scale and the bias. Scale and bias have one value for each position in
/// a row.
pub(crate) fn backward(
    x: &[f64],
    dy: &[f64],
    length: usize,
    centred: bool,
    epsilon: f64,
    scale: impl Fn(usize) -> f64,
) -> [Vec<f64>; 3] {
    let [n, _, inverses] = norm(x, length, centred, epsilon, |_| [1.0, 0.0]);
    let (mut dx, mut by_scale, mut by_bias) = (vec![0.0; x.len()], vec![0.0; length], vec![0.0; length]);
    for (row, inverse) in inverses.iter().enumerate() {
        let range = row * length..(row + 1) * length;
        let sum = |of: &dyn Fn(usize) -> f64| range.clone().map(of).sum::<f64>() / length as f64;
        let (plain, products) = (sum(&|at| dy[at] * scale(at)), sum(&|at| dy[at] * scale(at) * n[at]));
        for at in range.clone() {
            let g = dy[at] * scale(at) - n[at] * products;
            dx[at] = inverse * if centred { g - plain } else { g };
            by_scale[at % length] += dy[at] * n[at];
            by_bias[at % length] += dy[at];
        }
    }
    [dx, by_scale, by_bias]
}
