//! The browser's clock, and the median of several measurements.

/// Milliseconds since the page was opened, rounded by the browser.
pub(crate) fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// The median: the middle value, or the mean of the two values in the middle.
pub(crate) fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let upper = *times.get(middle)?;
    Some(if times.len() % 2 == 1 { upper } else { f64::midpoint(times[middle - 1], upper) })
}
