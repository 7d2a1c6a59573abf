//! The reference implementation in plain Rust.

/// Returns the loss and the factor of each row of an array of shape `[outer, classes, inner]`. The factor is the weight
/// of the row's class, 0 for an ignored row, and NaN for an invalid class. With `normalised`, elements are logarithms
/// of probabilities.
pub(crate) fn cross_entropy(
    x: &[f64],
    [outer, classes, inner]: [usize; 3],
    normalised: bool,
    targets: &[i64],
    ignored: Option<i64>,
    weight: impl Fn(usize) -> f64,
) -> [Vec<f64>; 2] {
    let (mut losses, mut factors) = (Vec::new(), Vec::new());
    for (row, target) in targets.iter().enumerate().take(outer * inner) {
        let at = |k: usize| (row / inner * classes + k) * inner + row % inner;
        let known = usize::try_from(*target).ok().filter(|class| *class < classes);
        let (loss, factor) = match known {
            _ if ignored == Some(*target) => (0.0, 0.0),
            None => (f64::NAN, f64::NAN),
            Some(class) => {
                let sum: f64 = (0..classes).map(|k| (x[at(k)] - x[at(class)]).exp()).sum();
                let logarithm = if normalised { x[at(class)] } else { -sum.ln() };
                (-weight(class) * logarithm, weight(class))
            }
        };
        losses.push(loss);
        factors.push(factor);
    }
    [losses, factors]
}

/// Returns the derivatives of the sum of `by_loss(row)` times the loss of each row, by the elements.
pub(crate) fn backward(
    x: &[f64],
    [outer, classes, inner]: [usize; 3],
    normalised: bool,
    targets: &[i64],
    factors: &[f64],
    by_loss: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut dx = vec![0.0; x.len()];
    for row in (0..outer * inner).filter(|row| factors[*row] != 0.0) {
        let at = |k: usize| (row / inner * classes + k) * inner + row % inner;
        let sum: f64 = (0..classes).map(|k| x[at(k)].exp()).sum();
        for k in 0..classes {
            let share = if normalised { 0.0 } else { x[at(k)].exp() / sum };
            let at_class = if targets[row] == k as i64 { 1.0 } else { 0.0 };
            dx[at(k)] = (share - at_class) * factors[row] * by_loss(row);
        }
    }
    dx
}
