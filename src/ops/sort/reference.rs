//! The reference implementation in plain Rust.

use std::cmp::Ordering;

/// Returns the indices that sort the keys stably, with NaN last in both directions.
pub(crate) fn argsort<K: PartialOrd>(keys: &[K], descending: bool) -> Vec<u32> {
    let compared = |a: u32, b: u32| keys[a as usize].partial_cmp(&keys[b as usize]);
    let is_nan = |at: u32| compared(at, at).is_none();
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by(|a, b| match compared(*a, *b) {
        Some(order) if descending => order.reverse(),
        Some(order) => order,
        None if is_nan(*a) && is_nan(*b) => Ordering::Equal,
        None => is_nan(*a).cmp(&is_nan(*b)),
    });
    order
}
