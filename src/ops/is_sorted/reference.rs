//! The reference implementation in plain Rust.

/// Returns whether no key precedes its predecessor in the order; NaN is last in ascending and in descending order.
pub(crate) fn is_sorted<K: PartialOrd>(keys: &[K], descending: bool) -> bool {
    let is_nan = |x: &K| x.partial_cmp(x).is_none();
    keys.windows(2).all(|pair| match pair[0].partial_cmp(&pair[1]) {
        Some(order) => {
            if descending {
                order.is_ge()
            } else {
                order.is_le()
            }
        }
        None => is_nan(&pair[1]),
    })
}
