//! The reference implementation in plain Rust.

/// Returns the softmax of each row, or its logarithm. `outer` is the number of outer rows, `length` the number of
/// elements of a row, and `inner` the distance between these elements.
pub(crate) fn softmax(x: &[f64], [outer, length, inner]: [usize; 3], logarithm: bool) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for row in 0..outer * inner {
        let at = |k: usize| (row / inner * length + k) * inner + row % inner;
        let greatest =
            (0..length).map(|k| x[at(k)]).fold(f64::NEG_INFINITY, |a, b| if b.is_nan() { b } else { a.max(b) });
        let greatest = if (0..length).any(|k| x[at(k)].is_nan()) { f64::NAN } else { greatest };
        let sum: f64 = (0..length).map(|k| (x[at(k)] - greatest).exp()).sum();
        for k in 0..length {
            let above = x[at(k)] - greatest;
            y[at(k)] = if logarithm { above - sum.ln() } else { above.exp() / sum };
        }
    }
    y
}

/// Returns the derivatives with respect to the elements of a softmax, or of its logarithm, from its results `y` and the
/// derivatives `dy` with respect to these results.
pub(crate) fn backward(y: &[f64], dy: &[f64], [outer, length, inner]: [usize; 3], logarithm: bool) -> Vec<f64> {
    let mut dx = vec![0.0; y.len()];
    for row in 0..outer * inner {
        let at = |k: usize| (row / inner * length + k) * inner + row % inner;
        let sum: f64 = (0..length).map(|k| if logarithm { dy[at(k)] } else { y[at(k)] * dy[at(k)] }).sum();
        for k in 0..length {
            let (y, dy) = (y[at(k)], dy[at(k)]);
            dx[at(k)] = if logarithm { dy - y.exp() * sum } else { y * (dy - sum) };
        }
    }
    dx
}
