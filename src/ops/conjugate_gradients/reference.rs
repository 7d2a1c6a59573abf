//! Conjugate gradients in plain Rust.

/// The product of a matrix in CSR and a vector.
pub(crate) fn product((offsets, columns, values): (&[u32], &[u32], &[f64]), x: &[f64]) -> Vec<f64> {
    let entries = |row: usize| offsets[row] as usize..offsets[row + 1] as usize;
    (0..x.len()).map(|row| entries(row).map(|at| values[at] * x[columns[at] as usize]).sum()).collect()
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Returns the solution and the number of iterations; `diagonal` divides residuals.
pub(crate) fn solve(a: (&[u32], &[u32], &[f64]), b: &[f64], diagonal: &[f64], tolerance: f64) -> (Vec<f64>, u32) {
    let divided = |r: &[f64]| -> Vec<f64> { r.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let (mut x, mut r) = (vec![0.0; b.len()], b.to_vec());
    let (mut p, mut iterations) = (divided(&r), 0);
    while dot(&r, &r) > tolerance * tolerance * dot(b, b) {
        let (q, rz) = (product(a, &p), dot(&r, &divided(&r)));
        let alpha = rz / dot(&p, &q);
        for at in 0..x.len() {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
        }
        let z = divided(&r);
        let beta = dot(&r, &z) / rz;
        p = p.iter().zip(&z).map(|(p, z)| z + beta * p).collect();
        iterations += 1;
    }
    (x, iterations)
}
