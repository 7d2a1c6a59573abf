//! The reference implementation in plain Rust.

/// Returns the number of elements in each bin; `f64` represents all elements exactly.
pub(crate) fn histogram(x: &[f64], edges: &[f64]) -> Vec<u32> {
    let bins = edges.len() - 1;
    let mut counts = vec![0; bins];
    for x in x {
        // If equal edges make several bins possible for an element, it is counted in the last of them.
        let below = edges.partition_point(|edge| *edge <= *x);
        match below {
            // The last bin has its upper edge, too.
            _ if *x == edges[bins] => counts[bins - 1] += 1,
            0 => {}
            below if below <= bins => counts[below - 1] += 1,
            _ => {}
        }
    }
    counts
}
