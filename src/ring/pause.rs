//! The pauses of threads that wait for what another side writes.

use std::time::Duration;

use super::clock::Instant;

/// The time for which a thread that waits for a reply polls before it sleeps.
const SPIN: Duration = Duration::from_micros(50);

/// The longest sleep between two polls.
const SLEEP: Duration = Duration::from_micros(500);

/// The polls between two looks at the clock.
const LOOKS: u32 = 64;

/// The pauses of a thread that polls: none at first, then longer and longer ones.
pub(super) struct Pause {
    polls: u32,
    started: Option<Instant>,
    /// Whether the thread sleeps between polls, and so looks at the clock each time.
    sleeps: bool,
}

impl Pause {
    pub(super) fn new() -> Self {
        Self { polls: 0, started: None, sleeps: false }
    }

    /// Whether this poll is one of those that look at the clock.
    pub(super) fn looks(&self) -> bool {
        self.sleeps || self.polls.is_multiple_of(LOOKS)
    }

    /// Whether the thread has polled at least this long.
    pub(super) fn is_over(&mut self, timeout: Duration) -> bool {
        self.started.get_or_insert_with(Instant::now).elapsed() >= timeout
    }

    pub(super) fn rest(&mut self, sleep: impl FnOnce(Duration)) {
        self.polls = self.polls.wrapping_add(1);
        if !self.looks() {
            return std::hint::spin_loop();
        }
        let waited = self.started.get_or_insert_with(Instant::now).elapsed();
        if waited < SPIN {
            std::hint::spin_loop();
        } else {
            self.sleeps = true;
            sleep((waited / 8).min(SLEEP));
        }
    }
}
