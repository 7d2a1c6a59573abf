//! Repetitions that make races likely, on devices of any speed.

use std::time::{Duration, Instant};

/// The time limit of all repetitions of a case, which leaves enough time for other cases on the same device.
const MAX_TIME: Duration = Duration::from_secs(8);

/// The numbers of up to `count` repetitions: at least one, and on a slow device as many as the time limit allows.
pub(crate) fn repetitions(count: u32) -> impl Iterator<Item = u32> {
    let started = Instant::now();
    (0..count).take_while(move |turn| *turn == 0 || started.elapsed() < MAX_TIME)
}
