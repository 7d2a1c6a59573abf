//! The reference implementation in plain Rust.

/// The arrays joined along an axis: `outer` times a line of each of them. The parts come with the length of a line.
pub(crate) fn joined<T: Copy>(parts: &[(Vec<T>, usize)], outer: usize) -> Vec<T> {
    let lines = |row: usize| parts.iter().flat_map(move |(part, line)| part[row * line..(row + 1) * line].to_vec());
    (0..outer).flat_map(lines).collect()
}
