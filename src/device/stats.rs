//! Statistics of a device.

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
    /// The greatest number of live bytes so far.
    pub peak_bytes: u64,
    /// Bytes of staging memory, in use or idle.
    pub staging_bytes: u64,
    /// Requests for staging memory that were served by an idle block.
    pub staging_hits: u64,
    /// Requests for staging memory that needed an allocation.
    pub staging_misses: u64,
    /// Bytes of upload memory held by guards and by running copies.
    pub staging_in_use: u64,
    /// The greatest number of upload bytes in use so far.
    pub staging_peak: u64,
    /// Waits caused by [`DeviceOptions::staging_limit`](crate::DeviceOptions::staging_limit).
    pub staging_waits: u64,
    /// The total duration of these waits.
    pub staging_waited: Duration,
    /// Guards that used ordinary memory because of that limit.
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

/// The variants of a device's kernels since it was opened: see
/// [`DeviceOptions::variants`](crate::DeviceOptions::variants).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantStats {
    /// Variants that were compiled.
    pub made: u64,
    /// Variants that are being compiled, or are queued for it.
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
