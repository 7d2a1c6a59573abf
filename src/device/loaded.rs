//! What the loaders of a device have delivered, and who waited for whom: all of them together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::DeviceStats;

/// The same, counted. A browser has no loaders.
#[derive(Default)]
pub(crate) struct Loaded {
    batches: AtomicU64,
    samples: AtomicU64,
    bytes_in_place: AtomicU64,
    /// In nanoseconds, as the next one.
    consumers_waited: AtomicU64,
    loaders_waited: AtomicU64,
}

#[cfg(not(target_arch = "wasm32"))]
impl Loaded {
    pub(crate) fn batch(&self, samples: usize, bytes_in_place: u64) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.samples.fetch_add(samples as u64, Ordering::Relaxed);
        self.bytes_in_place.fetch_add(bytes_in_place, Ordering::Relaxed);
    }

    pub(crate) fn consumer_waited(&self, time: Duration) {
        self.consumers_waited.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }

    pub(crate) fn loader_waited(&self, time: Duration) {
        self.loaders_waited.fetch_add(nanoseconds(time), Ordering::Relaxed);
    }
}

/// 580 years have room.
#[cfg(not(target_arch = "wasm32"))]
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Loaded {
    /// The statistics with these in their places.
    pub(super) fn read(&self, others: DeviceStats) -> DeviceStats {
        DeviceStats {
            batches_loaded: self.batches.load(Ordering::Relaxed),
            samples_loaded: self.samples.load(Ordering::Relaxed),
            bytes_loaded_in_place: self.bytes_in_place.load(Ordering::Relaxed),
            consumers_waited: Duration::from_nanos(self.consumers_waited.load(Ordering::Relaxed)),
            loaders_waited: Duration::from_nanos(self.loaders_waited.load(Ordering::Relaxed)),
            ..others
        }
    }
}
