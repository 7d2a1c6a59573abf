//! The reference implementation in plain Rust.

/// `(a - zero of a) (b - zero of b)` of `m` x `k` and `k` x `n`, row-major.
pub(crate) fn integer_matmul(a: &[i32], b: &[i32], [m, k, n]: [usize; 3], zeros: [i32; 2]) -> Vec<i32> {
    let mut c = vec![0i32; m * n];
    for row in 0..m {
        let sums = &mut c[row * n..][..n];
        for at in 0..k {
            // Row by row of b, which tests without optimisation read in a fraction of the time of its columns.
            let factor = a[row * k + at] - zeros[0];
            for (sum, b) in sums.iter_mut().zip(&b[at * n..][..n]) {
                *sum = sum.wrapping_add(factor * (b - zeros[1]));
            }
        }
    }
    c
}
