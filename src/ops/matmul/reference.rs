//! The reference implementation in plain Rust.

/// An element of the product in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    /// The sum of all products.
    pub(crate) sum: f64,
    /// The sum of their absolute values, which bounds the rounding errors.
    pub(crate) magnitude: f64,
}

/// `a b` of `m` x `k` and `k` x `n`, row-major.
pub(crate) fn matmul(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<Exact> {
    let mut c = vec![Exact { sum: 0.0, magnitude: 0.0 }; m * n];
    for row in 0..m {
        let results = &mut c[row * n..][..n];
        for at in 0..k {
            // Row by row of b, which tests without optimisation read in a fraction of the time of its columns.
            let left = a[row * k + at];
            for (exact, right) in results.iter_mut().zip(&b[at * n..][..n]) {
                let product = left * right;
                exact.sum += product;
                exact.magnitude += product.abs();
            }
        }
    }
    c
}
