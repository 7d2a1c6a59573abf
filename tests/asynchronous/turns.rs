//! Doing something often enough for a race to show, on devices of any speed.

use std::time::{Duration, Instant};

/// A case that repeats itself for longer leaves too little of its time limit to others on the same device.
const ENOUGH: Duration = Duration::from_secs(8);

/// So many turns; on a slow device as many as there is time for, but one at least.
pub(crate) fn turns(count: u32) -> impl Iterator<Item = u32> {
    let started = Instant::now();
    (0..count).take_while(move |turn| *turn == 0 || started.elapsed() < ENOUGH)
}
