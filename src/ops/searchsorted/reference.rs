//! The reference implementation in plain Rust.

use std::cmp::Ordering;

/// Returns the positions of the values in sorted keys, in which NaN is last in both directions.
pub(crate) fn searchsorted<K: PartialOrd>(keys: &[K], values: &[K], descending: bool, right: bool) -> Vec<u32> {
    let is_nan = |x: &K| x.partial_cmp(x).is_none();
    let compared = |a: &K, b: &K| match a.partial_cmp(b) {
        Some(order) if descending => order.reverse(),
        Some(order) => order,
        None => is_nan(a).cmp(&is_nan(b)),
    };
    let is_before = |key: &K, value: &K| match compared(key, value) {
        Ordering::Less => true,
        Ordering::Equal => right,
        Ordering::Greater => false,
    };
    values.iter().map(|value| keys.iter().filter(|key| is_before(key, value)).count() as u32).collect()
}
