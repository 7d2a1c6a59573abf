//! The reference implementation in plain Rust.

/// Joins parts along an axis: the result consists of `outer` rows, each with one line of every part. `parts` has the
/// elements of each part, and the length of its lines.
pub(crate) fn joined<T: Copy>(parts: &[(Vec<T>, usize)], outer: usize) -> Vec<T> {
    let lines = |row: usize| parts.iter().flat_map(move |(part, line)| part[row * line..(row + 1) * line].to_vec());
    (0..outer).flat_map(lines).collect()
}
