//! The reference implementation in plain Rust.

/// Combines each element of `x`, in order, with the element of `y` at its position in `places`.
pub(crate) fn scatter<T: Copy>(y: &mut [T], x: &[T], places: &[Option<usize>], combine: impl Fn(T, T) -> T) {
    for (x, place) in x.iter().zip(places) {
        if let Some(at) = place {
            y[*at] = combine(y[*at], *x);
        }
    }
}
