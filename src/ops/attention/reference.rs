//! The reference implementation in plain Rust.

/// The sizes of an attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) batches: usize,
    pub(crate) heads: usize,
    /// The heads of keys and values.
    pub(crate) shared: usize,
    pub(crate) queries: usize,
    pub(crate) keys: usize,
    /// The elements of a query and a key, and those of a value.
    pub(crate) size: usize,
    pub(crate) size_of_value: usize,
}

/// The results of all queries. `score` makes the score of a product, from `[batch, head, query, key]`; keys whose score is
/// negative infinity do not count.
pub(crate) fn attention(
    q: &[f64],
    k: &[f64],
    v: &[f64],
    sizes: Sizes,
    score: impl Fn([usize; 4], f64) -> f64,
) -> Vec<f64> {
    let Sizes { batches, heads, shared, queries, keys, size, size_of_value } = sizes;
    let mut y = Vec::new();
    for batch in 0..batches {
        for head in 0..heads {
            let shared = batch * shared + head / (heads / shared);
            for query in 0..queries {
                let row = &q[((batch * heads + head) * queries + query) * size..][..size];
                let scores: Vec<f64> = (0..keys)
                    .map(|key| {
                        let other = &k[(shared * keys + key) * size..][..size];
                        let product = row.iter().zip(other).map(|(a, b)| a * b).sum();
                        score([batch, head, query, key], product)
                    })
                    .collect();
                y.extend(
                    (0..size_of_value)
                        .map(|element| mean(&scores, |key| v[(shared * keys + key) * size_of_value + element])),
                );
            }
        }
    }
    y
}

/// The mean of values, weighted by the exponentials of scores; 0 without any key.
fn mean(scores: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    if scores.iter().any(|score| score.is_nan() || *score == f64::INFINITY) {
        return f64::NAN;
    }
    let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let counted = || scores.iter().enumerate().filter(|(_, score)| **score > f64::NEG_INFINITY);
    let total: f64 = counted().map(|(_, score)| (score - greatest).exp()).sum();
    let sum: f64 = counted().map(|(key, score)| (score - greatest).exp() * value(key)).sum();
    if total > 0.0 { sum / total } else { 0.0 }
}
