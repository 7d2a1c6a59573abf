//! The reference implementation in plain Rust.

/// Returns the results `y` of a scan. `y[i]` combines the elements of the line of `x[i]` that are before `x[i]` in the
/// order of the scan, from the last head on, and `x[i]` itself unless the scan is exclusive. `lines` is the number of
/// lines, `length` the number of elements of each line, and `inner` the distance between these elements. `is_head(at)`
/// is whether a segment begins at element `at` of a line.
pub(crate) fn scan<T: Copy>(
    x: &[T],
    [lines, length, inner]: [usize; 3],
    [exclusive, reverse]: [bool; 2],
    is_head: impl Fn(usize) -> bool,
    identity: T,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut y = vec![identity; x.len()];
    for line in 0..lines {
        let origin = line / inner * inner * length + line % inner;
        let mut sum = identity;
        for k in 0..length {
            let at = if reverse { length - 1 - k } else { k };
            let begins = if reverse { at + 1 < length && is_head(at + 1) } else { is_head(at) };
            if begins {
                sum = identity;
            }
            let place = origin + at * inner;
            let next = combine(sum, x[place]);
            y[place] = if exclusive { sum } else { next };
            sum = next;
        }
    }
    y
}
