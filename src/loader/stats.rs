//! Statistics of a loader: amounts, and waiting times of the consumer and of the workers.

use std::fmt;
use std::time::Duration;

/// The loaded amounts, and the times for loading them. Times of workers are sums over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoaderStats {
    /// Epochs that were begun.
    pub epochs: u64,
    /// Batches that were delivered.
    pub batches: u64,
    /// Batches for which an error was delivered.
    pub failed: u64,
    /// Samples that were delivered.
    pub samples: u64,
    /// The bytes of the delivered samples.
    pub bytes: u64,
    /// The bytes that were written in place: see [`LoaderBuilder::pinned`](super::LoaderBuilder::pinned).
    pub bytes_in_place: u64,
    /// The time from the start of each epoch to its end or, if it is running, until now.
    pub elapsed: Duration,
    /// The time that the consumer waited for the loading of batches. Without workers, this time includes the reading of
    /// samples.
    pub consumer_waited: Duration,
    /// The time that the consumer waited because the device still used the memory of the next batch, which happens with
    /// unified memory. This time is due to the device, not to loading.
    pub device_waited: Duration,
    /// The time that workers waited for the consumer to take batches, or for memory that the device still used.
    pub workers_waited: Duration,
    /// The time that the data set spent reading.
    pub reading: Duration,
}

impl LoaderStats {
    /// The number of samples per second.
    #[must_use]
    pub fn samples_per_second(&self) -> f64 {
        over(self.samples as f64, self.elapsed.as_secs_f64())
    }

    /// The share of the time that the consumer waited for loading, from 0 to 1: the greatest gain of faster loading.
    #[must_use]
    pub fn consumer_waited_share(&self) -> f64 {
        over(self.consumer_waited.as_secs_f64(), self.elapsed.as_secs_f64())
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.epochs += other.epochs;
        self.batches += other.batches;
        self.failed += other.failed;
        self.samples += other.samples;
        self.bytes += other.bytes;
        self.bytes_in_place += other.bytes_in_place;
        self.elapsed += other.elapsed;
        self.consumer_waited += other.consumer_waited;
        self.device_waited += other.device_waited;
        self.workers_waited += other.workers_waited;
        self.reading += other.reading;
    }
}

fn over(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl fmt::Display for LoaderStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoaderStats { batches, samples, failed, elapsed, .. } = self;
        write!(f, "{samples} samples in {batches} batches ({:.1} MB) in {elapsed:.1?}, ", self.bytes as f64 / 1e6)?;
        write!(f, "{:.0} samples per second", self.samples_per_second())?;
        if *failed > 0 {
            write!(f, ", {failed} batches failed")?;
        }
        let share = 100.0 * self.consumer_waited_share();
        write!(f, "\nthe consumer waited {:.1?} for loading ({share:.1} %), ", self.consumer_waited)?;
        if !self.device_waited.is_zero() {
            write!(f, "{:.1?} for the device, ", self.device_waited)?;
        }
        write!(f, "workers read for {:.1?} and waited for {:.1?}", self.reading, self.workers_waited)
    }
}
