//! Where and when the host does something: the number of its thread, and the time since a start.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The number of the thread with the next first event.
static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static THREAD: u32 = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// The number of this thread; 0 for a thread that is ending.
pub(crate) fn this_thread() -> u32 {
    THREAD.try_with(|number| *number).unwrap_or(0)
}

/// A stopwatch; in a browser, whose workers have no such clock, the elapsed time is always zero.
pub(crate) struct Stopwatch {
    #[cfg(not(target_arch = "wasm32"))]
    start: std::time::Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            #[cfg(not(target_arch = "wasm32"))]
            start: std::time::Instant::now(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        #[cfg(not(target_arch = "wasm32"))]
        return self.start.elapsed();
        #[cfg(target_arch = "wasm32")]
        Duration::ZERO
    }
}
