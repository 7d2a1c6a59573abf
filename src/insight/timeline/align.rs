//! The difference between the clock of commands and that of the host.
//!
//! A command cannot start before its submission, and its event cannot be noticed before its end. Each command so bounds
//! the difference from both sides; the middle between the closest bounds is taken.

use std::collections::HashMap;
use std::time::Duration;

use anywarp_backend::Clock;

use crate::submit::{Event, Observed};

/// The difference between two clocks in seconds, with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shift {
    least: f64,
    most: f64,
}

impl Shift {
    fn middle(self) -> f64 {
        match (self.least.is_finite(), self.most.is_finite()) {
            (true, true) => f64::midpoint(self.least, self.most),
            (true, false) => self.least,
            (false, true) => self.most,
            (false, false) => 0.0,
        }
    }

    /// The time on the host's clock for one on the clock of commands.
    pub(super) fn applied(self, time: Duration) -> Duration {
        Duration::try_from_secs_f64(time.as_secs_f64() + self.middle()).unwrap_or_default()
    }

    /// Half the distance of the bounds; zero if there are none.
    pub(super) fn uncertainty(self) -> Duration {
        let distance = (self.most - self.least).abs() / 2.0;
        Duration::try_from_secs_f64(distance).unwrap_or_default()
    }
}

/// Returns the difference that follows from events.
pub(super) fn shift(events: &[Observed]) -> Shift {
    let mut submitted = HashMap::new();
    let mut shift = Shift { least: f64::NEG_INFINITY, most: f64::INFINITY };
    for observed in events {
        let at = observed.at.as_secs_f64();
        match &observed.event {
            Event::Submission { number, .. } => {
                submitted.insert(*number, at);
            }
            // Such times do not begin at a moment of a clock.
            Event::Command { clock: Clock::Host, .. } => {}
            Event::Command { submission, start, end, .. } | Event::Transfer { submission, start, end, .. } => {
                if let Some(submitted) = submitted.get(submission) {
                    shift.least = shift.least.max(submitted - start.as_secs_f64());
                }
                shift.most = shift.most.min(at - end.as_secs_f64());
            }
            _ => {}
        }
    }
    // Clocks of devices have steps, so the bounds may cross by one.
    if shift.least > shift.most {
        shift.least = shift.most;
    }
    shift
}
