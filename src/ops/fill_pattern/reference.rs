//! The reference implementation in plain Rust.

/// `x[i] = pattern[(phase + i) % pattern.len()]`; the pattern has at least one element.
pub(crate) fn fill_pattern<T: Copy>(x: &mut [T], pattern: &[T], phase: usize) {
    for (at, x) in x.iter_mut().enumerate() {
        *x = pattern[(phase % pattern.len() + at) % pattern.len()];
    }
}
