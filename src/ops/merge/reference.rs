//! The reference implementation in plain Rust.

/// Returns for each merged key its array, 0 for `a` or 1 for `b`, and its index there. NaN is last in ascending and in
/// descending order.
pub(crate) fn merge<K: PartialOrd>(a: &[K], b: &[K], descending: bool) -> Vec<(usize, usize)> {
    let is_nan = |x: &K| x.partial_cmp(x).is_none();
    let is_before = |b: &K, a: &K| if descending { b > a } else { b < a };
    let (mut i, mut j) = (0, 0);
    let mut merged = Vec::new();
    while i < a.len() || j < b.len() {
        let from_b = j < b.len() && (i == a.len() || is_before(&b[j], &a[i]) || (is_nan(&a[i]) && !is_nan(&b[j])));
        merged.push(if from_b { (1, j) } else { (0, i) });
        if from_b { j += 1 } else { i += 1 }
    }
    merged
}
