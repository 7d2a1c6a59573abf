//! The browser's clock, and what to make of several measurements.

/// Milliseconds since the page was opened, rounded as the browser likes.
pub(crate) fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// The middle one; the mean of the two in the middle if there are two.
pub(crate) fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let upper = *times.get(middle)?;
    Some(if times.len() % 2 == 1 { upper } else { f64::midpoint(times[middle - 1], upper) })
}
