//! Statistics of a device.

use std::fmt;
use std::time::Duration;

use anywarp_backend::Counters;

use crate::kernel::Kernels;
use crate::submit::Context;

/// Statistics of a device since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceStats {
    /// Copies from host to device.
    pub uploads: u64,
    /// Copies from device to host.
    pub downloads: u64,
    /// Bytes copied from host to device.
    pub bytes_uploaded: u64,
    /// Bytes copied from device to host.
    pub bytes_downloaded: u64,
    /// Bytes of all live buffers.
    pub live_bytes: u64,
    /// The greatest value of [`live_bytes`](Self::live_bytes) so far.
    pub peak_bytes: u64,
    /// Bytes of staging memory, in use or idle.
    pub staging_bytes: u64,
    /// Requests for staging memory that were served by an idle block.
    pub staging_hits: u64,
    /// Requests for staging memory that needed an allocation.
    pub staging_misses: u64,
    /// Bytes of upload memory held by guards and by running copies.
    pub staging_in_use: u64,
    /// The greatest value of [`staging_in_use`](Self::staging_in_use) so far.
    pub staging_peak: u64,
    /// Waits caused by [`DeviceOptions::staging_limit`](crate::DeviceOptions::staging_limit).
    pub staging_waits: u64,
    /// The total duration of the waits counted by [`staging_waits`](Self::staging_waits).
    pub staging_waited: Duration,
    /// Write guards that used ordinary memory because of
    /// [`DeviceOptions::staging_limit`](crate::DeviceOptions::staging_limit).
    pub staging_bypassed: u64,
    /// Launches, submitted or pending.
    pub launches: u64,
    /// The counters of the backend.
    pub counters: Counters,
}

impl DeviceStats {
    pub(super) fn of(context: &Context) -> Self {
        let (traffic, staging, counts) = (context.traffic.read(), context.staging.stats(), context.counts());
        Self {
            uploads: traffic.uploads,
            downloads: traffic.downloads,
            bytes_uploaded: traffic.bytes_uploaded,
            bytes_downloaded: traffic.bytes_downloaded,
            live_bytes: counts.live,
            peak_bytes: counts.peak,
            staging_bytes: staging.bytes,
            staging_hits: staging.hits,
            staging_misses: staging.misses,
            staging_in_use: staging.in_use,
            staging_peak: staging.peak,
            staging_waits: staging.waits,
            staging_waited: staging.waited,
            staging_bypassed: staging.bypassed,
            launches: counts.launches,
            counters: context.backend.counters(),
        }
    }
}

/// Formats the statistics as one sentence: launches, submissions, bytes moved, memory in use.
impl fmt::Display for DeviceStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64, singular, plural| format!("{count} {}", if count == 1 { singular } else { plural });
        let copies = |count| counted(count, "copy", "copies");
        write!(f, "{} in ", counted(self.launches, "launch", "launches"))?;
        write!(f, "{}, ", counted(self.counters.submissions, "submission", "submissions"))?;
        write!(f, "{} uploaded in {}, ", Bytes(self.bytes_uploaded), copies(self.uploads))?;
        write!(f, "{} downloaded in {}, ", Bytes(self.bytes_downloaded), copies(self.downloads))?;
        write!(f, "{} in buffers ({} at most)", Bytes(self.live_bytes), Bytes(self.peak_bytes))
    }
}

/// A number of bytes, in decimal units.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 0..1_000 => write!(f, "{bytes} B"),
            bytes @ 1_000..1_000_000 => write!(f, "{:.1} kB", bytes as f64 / 1e3),
            bytes => write!(f, "{:.1} MB", bytes as f64 / 1e6),
        }
    }
}

/// The variants of a device's kernels since it was opened: see
/// [`DeviceOptions::variants`](crate::DeviceOptions::variants).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantStats {
    /// Variants that were compiled.
    pub made: u64,
    /// Variants that are being compiled, or are queued for compilation.
    pub pending: u64,
    /// Launches that ran a variant.
    pub launches: u64,
}

impl VariantStats {
    pub(super) fn of(kernels: &Kernels) -> Self {
        let [made, pending, launches] = kernels.variants();
        Self { made, pending, launches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_printed_as_a_sentence() {
        let mut stats = DeviceStats { uploads: 2, downloads: 1, launches: 12, ..DeviceStats::default() };
        (stats.bytes_uploaded, stats.bytes_downloaded, stats.live_bytes, stats.peak_bytes) =
            (4096, 16, 1 << 20, 1 << 21);
        stats.counters.submissions = 3;
        assert_eq!(
            stats.to_string(),
            "12 launches in 3 submissions, 4.1 kB uploaded in 2 copies, 16 B downloaded in 1 copy, 1.0 MB in buffers (2.1 MB \
             at most)"
        );
    }
}
