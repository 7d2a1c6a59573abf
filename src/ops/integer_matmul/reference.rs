//! The reference implementation in plain Rust.

/// `(a - zero of a) (b - zero of b)` of `m` x `k` and `k` x `n`, row-major.
pub(crate) fn integer_matmul(a: &[i32], b: &[i32], [m, k, n]: [usize; 3], zeros: [i32; 2]) -> Vec<i32> {
    let mut c = Vec::with_capacity(m * n);
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| (a[row * k + at] - zeros[0]) * (b[at * n + column] - zeros[1]));
            c.push(products.fold(0, i32::wrapping_add));
        }
    }
    c
}
