//! The reference implementation in plain Rust.

/// Computes `alpha * a * x + beta * y` for a matrix in CSR and a dense matrix of `width` columns.
pub(crate) fn product(
    (offsets, columns, values): (&[u32], &[u32], &[f64]),
    (x, width): (&[f64], usize),
    [alpha, beta]: [f64; 2],
    y: &[f64],
) -> Vec<f64> {
    let mut result = Vec::new();
    for row in 0..offsets.len() - 1 {
        for column in 0..width {
            let entries = offsets[row] as usize..offsets[row + 1] as usize;
            // The sum of no numbers is -0.0 in Rust.
            let terms = entries.map(|at| values[at] * x[columns[at] as usize * width + column]);
            let sum = terms.fold(0.0, |sum, term| sum + term);
            let old = if beta == 0.0 { 0.0 } else { beta * y[row * width + column] };
            result.push(alpha * sum + old);
        }
    }
    result
}
