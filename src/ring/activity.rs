//! The activity of a ring, as events for timelines: the times in which it had messages, and the steps of its life.
//!
//! Actors keep the times at which they became busy and idle in any case, as telemetry has them. The ring's thread reads
//! them only while the device is observed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::Instant;
use super::core::Core;
use super::mode::Mode;
use crate::submit::{Event, Reporter};

/// Times with messages that are closer to each other count as one.
const MERGED: Duration = Duration::from_millis(1);

/// The longest time in one event.
const LONGEST: Duration = Duration::from_millis(100);

/// The longest time between two looks while the device is observed.
pub(super) const LOOKS: Duration = MERGED;

/// The times of one actor.
#[derive(Default)]
pub(super) struct Times {
    /// The sum of the times in which messages waited or were being handled, up to the last idle time.
    busy: Duration,
    /// The start of the present such time.
    since: Option<Instant>,
    /// The start of the first such time after the last look.
    first: Option<Instant>,
    /// The end of the last one.
    last: Option<Instant>,
    /// Whether the ring is paused, so that messages wait without an effect.
    paused: bool,
}

impl Times {
    /// The actor has a message.
    pub(super) fn begin(&mut self, at: Instant) {
        if self.since.is_none() && !self.paused {
            self.since = Some(at);
            self.first.get_or_insert(at);
        }
    }

    /// The actor has none any more.
    pub(super) fn end(&mut self, at: Instant) {
        if let Some(since) = self.since.take() {
            self.busy += at.saturating_duration_since(since);
            self.last = Some(at);
        }
    }

    /// The actors are stopped or go on; `waits` is whether this one has a message. Returns whether this is a change.
    pub(super) fn pause(&mut self, paused: bool, waits: bool, at: Instant) -> bool {
        let changes = self.paused != paused;
        self.paused = paused;
        match (paused, waits) {
            (true, _) => self.end(at),
            (false, true) => self.begin(at),
            (false, false) => {}
        }
        changes
    }

    /// The sum of the times in which messages waited or were being handled.
    pub(super) fn busy(&self, now: Instant) -> Duration {
        self.busy + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// The start and the end of all such times since the last look.
    fn look(&mut self, now: Instant) -> Option<(Instant, Instant)> {
        let first = self.first.take()?;
        let last = if self.since.is_some() {
            self.first = Some(now);
            now
        } else {
            self.last.unwrap_or(now)
        };
        Some((first, last.max(first)))
    }
}

/// The sums of what the ring has done, as of the last look, and the time that was not reported yet.
#[derive(Default)]
pub(super) struct Activity(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    messages: u64,
    busy: Duration,
    open: Option<Open>,
}

/// A time with messages that was not reported yet.
struct Open {
    start: Instant,
    end: Instant,
    /// The sums before it.
    messages: u64,
    busy: Duration,
}

impl Activity {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Looks at what the actors have done, and reports what has ended. The ring's thread calls this while the device is
    /// observed.
    pub(super) fn looks(&self) {
        self.look(false);
    }

    fn look(&self, closes: bool) {
        let mut seen = self.activity.seen();
        let now = Instant::now();
        let (mut messages, mut busy) = (0, Duration::ZERO);
        let mut window: Option<(Instant, Instant)> = None;
        for post in &self.posts {
            let mut state = post.lock();
            messages += state.counts.handled;
            busy += state.times.busy(now);
            let own = state.times.look(now);
            window = match (window, own) {
                (Some((start, end)), Some((first, last))) => Some((start.min(first), end.max(last))),
                (one, other) => one.or(other),
            };
        }
        let Seen { messages: before, busy: busy_before, open } = &mut *seen;
        let continues = |open: &Open| {
            let follows = window.is_some_and(|(start, _)| start.saturating_duration_since(open.end) < MERGED);
            let lasts = now.saturating_duration_since(open.start) < LONGEST;
            lasts && (follows || (window.is_none() && now.saturating_duration_since(open.end) < MERGED))
        };
        if let Some(own) = open.take_if(|open| !continues(open)) {
            self.reports(&own, *before, *busy_before);
        }
        if let Some((start, end)) = window {
            let new = Open { start, end, messages: *before, busy: *busy_before };
            open.get_or_insert(new).end = end;
        }
        (*before, *busy_before) = (messages, busy);
        if closes && let Some(own) = open.take() {
            self.reports(&own, messages, busy);
        }
    }

    /// Reports a time that has ended, with the sums at its end.
    fn reports(&self, open: &Open, messages: u64, busy: Duration) {
        let events = &self.context.events;
        let at = events.now().saturating_sub(open.end.elapsed());
        events.emit_at(at, || Event::Activity {
            name: Arc::clone(&self.name),
            took: open.end.saturating_duration_since(open.start),
            messages: messages - open.messages,
            busy: busy.saturating_sub(open.busy),
            parts: self.posts.len() as u32,
            resident: self.engine.mode() == Mode::Persistent,
        });
    }

    /// Reports a step of the ring's life.
    pub(super) fn step(&self, step: impl FnOnce() -> String) {
        let name = || Arc::clone(&self.name);
        self.context.events.emit(|| Event::Step { name: name(), step: step().into() });
    }

    /// The actors are stopped, or go on.
    pub(super) fn paused(&self, paused: bool) {
        let now = Instant::now();
        let mut changes = false;
        for post in &self.posts {
            let mut state = post.lock();
            let waits = !state.waiting.is_empty();
            changes |= state.times.pause(paused, waits, now);
        }
        if changes {
            self.report();
            self.step(|| if paused { "paused" } else { "resumed" }.to_owned());
        }
    }
}

impl Reporter for Core {
    fn report(&self) {
        self.look(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_times_are_those_with_messages() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut times = Times::default();
        assert_eq!((times.look(at(0)), times.busy(at(0))), (None, Duration::ZERO));
        times.begin(at(1));
        times.begin(at(2));
        assert_eq!(times.busy(at(5)), Duration::from_millis(4));
        assert_eq!(times.look(at(5)), Some((at(1), at(5))));
        times.end(at(7));
        times.end(at(8));
        assert_eq!(times.look(at(9)), Some((at(5), at(7))));
        assert_eq!((times.look(at(10)), times.busy(at(10))), (None, Duration::from_millis(6)));
        assert!(times.pause(true, false, at(11)) && !times.pause(true, true, at(11)));
        times.begin(at(12));
        assert_eq!((times.look(at(13)), times.busy(at(13))), (None, Duration::from_millis(6)));
        assert!(times.pause(false, true, at(14)));
        assert_eq!(times.busy(at(15)), Duration::from_millis(7));
        assert_eq!(times.look(at(15)), Some((at(14), at(15))));
    }
}
