//! The reference implementation in plain Rust.

/// The number of elements in each bin; all elements are exact in `f64`.
pub(crate) fn histogram(x: &[f64], edges: &[f64]) -> Vec<u32> {
    let bins = edges.len() - 1;
    let mut counts = vec![0; bins];
    for x in x {
        // If several bins could have an element, as beside an empty bin, the last one has it.
        let inside =
            |bin: &usize| edges[*bin] <= *x && (*x < edges[*bin + 1] || (*bin + 1 == bins && *x == edges[bins]));
        if let Some(bin) = (0..bins).rfind(inside) {
            counts[bin] += 1;
        }
    }
    counts
}
