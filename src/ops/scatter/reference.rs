//! The reference implementation in plain Rust.

/// Combines each element of `x` with the one of `y` at its place, in their order.
pub(crate) fn scatter<T: Copy>(y: &mut [T], x: &[T], places: &[Option<usize>], combine: impl Fn(T, T) -> T) {
    for (x, place) in x.iter().zip(places) {
        if let Some(at) = place {
            y[*at] = combine(y[*at], *x);
        }
    }
}
