//! The reference implementation in plain Rust.

/// Returns the indices of the kept elements, and the indices of all other elements.
pub(crate) fn selected(length: usize, is_kept: impl Fn(usize) -> bool) -> [Vec<usize>; 2] {
    let (kept, rest) = (0..length).partition(|at| is_kept(*at));
    [kept, rest]
}
