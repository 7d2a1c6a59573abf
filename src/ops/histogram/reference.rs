//! The reference implementation in plain Rust.

/// Returns the number of elements in each bin; `f64` represents all elements exactly.
pub(crate) fn histogram(x: &[f64], edges: &[f64]) -> Vec<u32> {
    let bins = edges.len() - 1;
    let mut counts = vec![0; bins];
    for x in x {
        // If equal edges make several bins possible for an element, it is counted in the last of them.
        let inside =
            |bin: &usize| edges[*bin] <= *x && (*x < edges[*bin + 1] || (*bin + 1 == bins && *x == edges[bins]));
        if let Some(bin) = (0..bins).rfind(inside) {
            counts[bin] += 1;
        }
    }
    counts
}
