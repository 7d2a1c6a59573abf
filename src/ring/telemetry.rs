//! Counts and times of a running ring, read without stopping anything.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::mode::Mode;
use super::post::Entry;
use super::pulse::ResidentTelemetry;
use super::topic::TopicTelemetry;

/// The number of classes of a [`Histogram`].
const CLASSES: usize = 64;

/// The number of classes between two powers of two is `1 << FINE`.
const FINE: u32 = 1;

/// The upper limit of the first class, in nanoseconds, as a power of two.
const LEAST: u32 = 6;

/// Times in classes that are about 1.4 times as wide as the class before, from 64 ns on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; CLASSES],
    longest: u64,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; CLASSES], longest: 0, total: 0 }
    }
}

impl Histogram {
    /// The number of times.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The longest time.
    #[must_use]
    pub fn longest(&self) -> Duration {
        Duration::from_nanos(self.longest)
    }

    /// The mean; zero without any time.
    #[must_use]
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.total.checked_div(self.count()).unwrap_or_default())
    }

    /// The upper limit of the class that this share of all times, 0 to 1, does not exceed: `quantile(0.99)`. Zero
    /// without any time.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Duration {
        let count = self.count();
        let wanted = (share.clamp(0.0, 1.0) * count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (class, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_nanos(limit(class).min(self.longest));
            }
        }
        Duration::ZERO
    }

    /// The times that were added since an earlier copy of the same histogram was made. Their longest one is known up to
    /// the limit of its class.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut counts = self.counts;
        counts.iter_mut().zip(earlier.counts).for_each(|(own, earlier)| *own = own.saturating_sub(earlier));
        let highest = counts.iter().rposition(|count| *count > 0);
        let longest = highest.map_or(0, |class| limit(class).min(self.longest));
        Self { counts, longest, total: self.total.saturating_sub(earlier.total) }
    }

    fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(own, other)| *own += other);
        self.longest = self.longest.max(other.longest);
        self.total = self.total.saturating_add(other.total);
    }
}

/// The class of a time in nanoseconds.
fn class(nanoseconds: u64) -> usize {
    let Some(power) = nanoseconds.max(1).ilog2().checked_sub(LEAST) else { return 0 };
    let fine = (nanoseconds >> (power + LEAST - FINE)) & ((1 << FINE) - 1);
    ((u64::from(power) << FINE | fine) as usize + 1).min(CLASSES - 1)
}

/// The upper limit of a class, in nanoseconds.
fn limit(class: usize) -> u64 {
    if class == CLASSES - 1 {
        return u64::MAX;
    }
    let (power, fine) = (class >> FINE, class & ((1 << FINE) - 1));
    (1 << (power as u32 + LEAST)) + ((fine as u64) << (power as u32 + LEAST - FINE))
}

/// The counts of one actor.
///
/// They add up at any time: `received` is the sum of `handled`, `unanswered`, `displaced` and `queued`. [`Report`] says
/// how those of messages from actors do.
///
/// [`Report`]: super::Report
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorTelemetry {
    /// Messages that were accepted for the actor.
    pub received: u64,
    /// Messages that the actor has handled.
    pub handled: u64,
    /// Accepted messages that were not handled, because the handler was stopped in them, or because the actor or the
    /// ring has ended before. They became [dead letters](super::Ring::dead_letters).
    pub unanswered: u64,
    /// Messages in which the actor's handler was stopped, of the host and of actors: see [`Restart`](super::Restart).
    pub stopped: u64,
    /// Messages that were dropped or refused because the inbox was full.
    pub dropped: u64,
    /// Accepted messages among them that gave way to newer ones: see
    /// [`Overflow::DropOldest`](super::Overflow::DropOldest).
    pub displaced: u64,
    /// Accepted messages that wait or are being handled.
    pub queued: u64,
    /// The largest number of messages that waited at a time.
    pub high_water: u64,
    /// The time in which messages of the host were under way: from the first one that was sent to an idle actor until no
    /// reply was missing, without pauses of the ring. So it has the way to the actor and back, and it ends up to a
    /// millisecond late if no thread waits for the last reply.
    pub busy: Duration,
    /// Messages that the actor has sent to actors.
    pub sent: u64,
    /// Messages that the actor could not send, because the receiver had no room or does not exist.
    pub refused: u64,
    /// Messages from actors that the actor has handled. They are not among the counts of messages from the host.
    pub from_actors: u64,
    /// Messages from actors that were lost with the actor: its handler was stopped in them, or it has ended before. They
    /// became dead letters.
    pub lost_from_actors: u64,
    /// Messages that the actor has emitted to the host.
    pub emitted: u64,
    /// Emitted messages that the host has taken, for all subscriptions that existed then.
    pub taken: u64,
    /// Messages that the actor could not emit, because the host had not taken those before.
    pub not_emitted: u64,
    /// The times from sending to the arrival of the reply at the host.
    pub latency: Histogram,
}

/// The counts of a ring: see [`Ring::telemetry`](super::Ring::telemetry).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Telemetry {
    /// How the actors run.
    pub mode: Mode,
    /// The time since the start.
    pub uptime: Duration,
    /// The submissions of the kernel so far: 1 for a persistent ring that was never paused, and that has no
    /// [lease](super::RingBuilder::lease).
    pub submissions: u64,
    /// Whether a resident kernel is on the device. False in batches, during a pause, after the end, and after a
    /// [lease](super::RingBuilder::lease) until the next message.
    pub resident: bool,
    /// Dead letters that were replaced by later ones before [`Ring::dead_letters`](super::Ring::dead_letters) returned
    /// them.
    pub letters_lost: u64,
    /// The signs of life of each workgroup of a persistent kernel: number `r` of `n` serves the actors `r`, `r + n`,
    /// `r + 2n` and so on. In batches there is one for all actors.
    pub residents: Vec<ResidentTelemetry>,
    /// The counts of each topic, by name. Messages of topics are among the counts of the actors, too.
    pub topics: Vec<TopicTelemetry>,
    /// The counts of each actor.
    pub actors: Vec<ActorTelemetry>,
}

impl Telemetry {
    /// The sums over all actors; the high-water mark is the largest one.
    #[must_use]
    pub fn total(&self) -> ActorTelemetry {
        let mut total = ActorTelemetry::default();
        for actor in &self.actors {
            total.received += actor.received;
            total.handled += actor.handled;
            total.unanswered += actor.unanswered;
            total.stopped += actor.stopped;
            total.dropped += actor.dropped;
            total.displaced += actor.displaced;
            total.queued += actor.queued;
            total.high_water = total.high_water.max(actor.high_water);
            total.busy += actor.busy;
            total.sent += actor.sent;
            total.refused += actor.refused;
            total.from_actors += actor.from_actors;
            total.lost_from_actors += actor.lost_from_actors;
            total.emitted += actor.emitted;
            total.taken += actor.taken;
            total.not_emitted += actor.not_emitted;
            total.latency.merge(&actor.latency);
        }
        total
    }

    /// The share of the time since the start in which an actor had messages of the host, from 0 to 1: the mean over all
    /// actors of [`ActorTelemetry::busy`].
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        self.total().busy.as_secs_f64() / (self.uptime.as_secs_f64() * self.actors.len() as f64).max(1e-9)
    }

    /// Handled messages per second since the start.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        self.total().handled as f64 / self.uptime.as_secs_f64().max(1e-9)
    }
}

/// The counts of one actor while it runs, kept under the actor's lock except for those of refused messages.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) received: u64,
    pub(super) handled: u64,
    pub(super) unanswered: u64,
    pub(super) displaced: u64,
    pub(super) stopped: u64,
    pub(super) lost_from_actors: u64,
    pub(super) high_water: u64,
    pub(super) latency: Histogram,
}

impl Counts {
    /// Counts an accepted message that is not handled.
    pub(super) fn gives_up(&mut self, entry: &Entry) {
        self.unanswered += u64::from(entry.counts);
    }

    /// Counts messages that each took the same time.
    pub(super) fn handled(&mut self, messages: u64, took: Duration) {
        self.handled += messages;
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.latency.counts[class(nanoseconds)] += messages;
        self.latency.longest = self.latency.longest.max(nanoseconds);
        self.latency.total = self.latency.total.saturating_add(nanoseconds.saturating_mul(messages));
    }
}

/// A count that threads increase without a lock.
#[derive(Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_within_their_class() {
        for nanoseconds in (0..2000).chain([1 << 20, (1 << 20) + 1, 3 << 29, u64::MAX]) {
            let class = class(nanoseconds);
            assert!(nanoseconds < limit(class) || class == CLASSES - 1, "{nanoseconds} in {class}");
            assert!(class == 0 || nanoseconds >= limit(class - 1), "{nanoseconds} in {class}");
        }
    }

    #[test]
    fn quantiles_are_upper_limits() {
        let mut counts = Counts::default();
        (1..=1000).for_each(|microseconds| counts.handled(1, Duration::from_micros(microseconds)));
        let half = counts.latency.quantile(0.5).as_micros();
        assert!((500..=700).contains(&half), "{half}");
        assert_eq!(counts.latency.quantile(1.0), Duration::from_millis(1));
        assert_eq!(counts.latency.mean().as_micros(), 500);
        assert_eq!(Histogram::default().quantile(0.5), Duration::ZERO);
        let earlier = counts.latency.clone();
        counts.handled(100, Duration::from_micros(10));
        let added = counts.latency.since(&earlier);
        assert_eq!((added.count(), added.mean()), (100, Duration::from_micros(10)));
        assert!((10..15).contains(&added.quantile(1.0).as_micros()), "{:?}", added.longest());
        assert_eq!(earlier.since(&earlier), Histogram::default());
    }
}
