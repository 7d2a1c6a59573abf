//! Times of dispatches: timestamps at pass boundaries, or the host's clock where the device has no usable timestamps.

use std::sync::Arc;
use std::time::Duration;

use anywarp_backend::{Clock, Timing, Timings};

/// The largest number of queries in one query set of wgpu.
const MAX_QUERIES: u32 = 4096;

/// The timestamps of one submission.
pub(crate) struct TimingQuery {
    labels: Vec<Arc<str>>,
    device: Option<DeviceClock>,
}

struct DeviceClock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    nanoseconds_per_tick: f32,
}

impl TimingQuery {
    /// Returns a query with two timestamps for each label: the begin and the end of the dispatch.
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue, timestamps: bool, labels: Vec<Arc<str>>) -> Self {
        let count = u32::try_from(labels.len()).unwrap_or(u32::MAX).saturating_mul(2);
        let usable = timestamps && count > 0 && count <= MAX_QUERIES;
        let clock = usable.then(|| {
            let size = u64::from(count) * 8;
            let buffer = |usage| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("anywarp timestamps"),
                    size,
                    usage,
                    mapped_at_creation: false,
                })
            };
            DeviceClock {
                queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("anywarp timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count,
                }),
                resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
                readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
                nanoseconds_per_tick: queue.get_timestamp_period(),
            }
        });
        Self { labels, device: clock }
    }

    /// The timestamp writes of the pass for dispatch number `dispatch`; `None` if the host's clock is used.
    pub(crate) fn writes(&self, dispatch: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.device.as_ref().map(|clock| wgpu::ComputePassTimestampWrites {
            query_set: &clock.queries,
            beginning_of_pass_write_index: Some(2 * dispatch),
            end_of_pass_write_index: Some(2 * dispatch + 1),
        })
    }

    /// Appends the copies of the timestamps to the host.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(clock) = &self.device {
            encoder.resolve_query_set(&clock.queries, 0..clock.queries.count(), &clock.resolved, 0);
            encoder.copy_buffer_to_buffer(&clock.resolved, 0, &clock.readback, 0, clock.readback.size());
        }
    }

    /// The buffer that must be mapped before [`read`](Self::read).
    pub(crate) fn readback(&self) -> Option<&wgpu::Buffer> {
        self.device.as_ref().map(|clock| &clock.readback)
    }

    /// Returns the timings, after the submission has ended; `took` is the host's time for the whole submission, if it
    /// was measured.
    pub(crate) fn read(&self, took: Option<Duration>) -> Option<Timings> {
        self.device.as_ref().and_then(|clock| self.ticks(clock)).or_else(|| {
            let entry = Timing { label: "submission".into(), start: Duration::ZERO, duration: took? };
            Some(Timings { clock: Clock::Host, entries: vec![entry] })
        })
    }

    /// The timings by the device's timestamps; `None` if the timestamps are invalid: some drivers write zeros.
    fn ticks(&self, clock: &DeviceClock) -> Option<Timings> {
        let view = clock.readback.slice(..).get_mapped_range().ok()?;
        let ticks: Vec<u64> = view.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        if ticks.iter().all(|tick| *tick == 0) {
            return None;
        }
        let between = |begin: u64, end: u64| {
            let nanoseconds = end.saturating_sub(begin) as f64 * f64::from(clock.nanoseconds_per_tick);
            Duration::from_nanos(nanoseconds as u64)
        };
        let entries = self.labels.iter().zip(ticks.as_chunks::<2>().0).map(|(label, [begin, end])| Timing {
            label: Arc::clone(label),
            start: between(0, *begin),
            duration: between(*begin, *end),
        });
        Some(Timings { clock: Clock::Device, entries: entries.collect() })
    }
}
