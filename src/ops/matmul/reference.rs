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
    let mut c = Vec::with_capacity(m * n);
    for row in 0..m {
        for column in 0..n {
            let mut exact = Exact { sum: 0.0, magnitude: 0.0 };
            for at in 0..k {
                let product = a[row * k + at] * b[at * n + column];
                exact.sum += product;
                exact.magnitude += product.abs();
            }
            c.push(exact);
        }
    }
    c
}
