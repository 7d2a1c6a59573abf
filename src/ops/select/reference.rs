//! The reference implementation in plain Rust.

/// The indices of the elements that are kept, and of the others.
pub(crate) fn selected(length: usize, is_kept: impl Fn(usize) -> bool) -> [Vec<usize>; 2] {
    let (kept, rest) = (0..length).partition(|at| is_kept(*at));
    [kept, rest]
}
