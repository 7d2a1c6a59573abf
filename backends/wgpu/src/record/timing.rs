//! Times of commands, or the host's clock where the device has no usable timestamps.
//!
//! Where timestamps may be taken anywhere, there is one before the first command and one after each: it ends a command
//! and begins the next one. All of them are encoded before the device runs the first, so no wait for the host comes
//! between two. Elsewhere, as in WebGPU, only passes have timestamps: each dispatch gets a pass with two of its own.

use std::sync::Arc;
use std::time::Duration;

use anywarp_backend::{Clock, Command, Recording, Timing, Timings, Transfer};

use super::queries::{MAX_QUERIES, Pool, Queries};

/// A command that is timed.
enum Timed {
    Dispatch(Arc<str>),
    Transfer { is_fill: bool, bytes: u64 },
}

/// The commands between which, or in which, timestamps are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// After each command.
    Between,
    /// At the start and the end of each dispatch.
    Around,
}

/// The timestamps of one submission.
pub(crate) struct TimingQuery {
    commands: Vec<Timed>,
    /// `None` if the host's clock is used.
    queries: Option<Queries>,
    way: Way,
    nanoseconds_per_tick: f32,
}

impl TimingQuery {
    /// Returns a query for the commands of a recording, with timestamps if the device has them.
    pub(crate) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pool: &Arc<Pool>,
        timestamps: bool,
        recording: &Recording,
    ) -> Self {
        let anywhere = wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let way = if device.features().contains(anywhere) { Way::Between } else { Way::Around };
        let commands: Vec<Timed> = recording.commands().iter().filter_map(|command| timed(command, way)).collect();
        let count = match (way, commands.len()) {
            (_, 0) => 0,
            (Way::Between, count) => count.saturating_add(1),
            (Way::Around, count) => count.saturating_mul(2),
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let usable = timestamps && (1..=MAX_QUERIES).contains(&count);
        let queries = usable.then(|| Pool::take(pool, device, count));
        Self { commands, queries, way, nanoseconds_per_tick: queue.get_timestamp_period() }
    }

    /// Whether each dispatch needs a pass of its own.
    pub(crate) fn each_alone(&self) -> bool {
        self.queries.is_some() && self.way == Way::Around
    }

    /// The timestamp writes of the pass for dispatch number `dispatch`, if passes have such.
    pub(crate) fn writes(&self, dispatch: u32) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let queries = self.queries.as_ref().filter(|_| self.way == Way::Around)?;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: queries.set(),
            beginning_of_pass_write_index: Some(2 * dispatch),
            end_of_pass_write_index: Some(2 * dispatch + 1),
        })
    }

    /// The queries for timestamps between commands, if such are taken: number `n` comes before command number `n`.
    pub(crate) fn between(&self) -> Option<&wgpu::QuerySet> {
        self.queries.as_ref().filter(|_| self.way == Way::Between).map(Queries::set)
    }

    /// Appends the copies of the timestamps to the host.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(queries) = &self.queries {
            queries.resolve(encoder);
        }
    }

    /// The buffer that must be mapped before [`read`](Self::read), which [`mapped`](Self::mapped) records.
    pub(crate) fn readback(&self) -> Option<&wgpu::Buffer> {
        self.queries.as_ref().map(Queries::readback)
    }

    /// Records that the buffer was mapped.
    pub(crate) fn mapped(&self) {
        self.queries.iter().for_each(Queries::mapped);
    }

    /// Returns the timings, after the submission has ended; `took` is the host's time for the whole submission, if it
    /// was measured.
    pub(crate) fn read(&self, took: Option<Duration>) -> Option<Timings> {
        self.queries.as_ref().and_then(|queries| self.by_device(queries)).or_else(|| {
            let entry = Timing { label: "submission".into(), start: Duration::ZERO, duration: took? };
            Some(Timings { clock: Clock::Host, entries: vec![entry], transfers: Vec::new() })
        })
    }

    /// The timings by the device's timestamps; `None` if the timestamps are invalid: some drivers write zeros.
    fn by_device(&self, queries: &Queries) -> Option<Timings> {
        let ticks = queries.ticks()?;
        if ticks.iter().all(|tick| *tick == 0) {
            return None;
        }
        let between = |begin: u64, end: u64| {
            let nanoseconds = end.saturating_sub(begin) as f64 * f64::from(self.nanoseconds_per_tick);
            Duration::from_nanos(nanoseconds as u64)
        };
        let step = if self.way == Way::Between { 1 } else { 2 };
        let mut timings = Timings { clock: Clock::Device, entries: Vec::new(), transfers: Vec::new() };
        for (command, ticks) in self.commands.iter().zip(ticks.windows(2).step_by(step)) {
            let (start, duration) = (between(0, ticks[0]), between(ticks[0], ticks[1]));
            match command {
                Timed::Dispatch(label) => timings.entries.push(Timing { label: Arc::clone(label), start, duration }),
                Timed::Transfer { is_fill, bytes } => {
                    timings.transfers.push(Transfer { is_fill: *is_fill, bytes: *bytes, start, duration });
                }
            }
        }
        Some(timings)
    }
}

fn timed(command: &Command, way: Way) -> Option<Timed> {
    let transfer = |is_fill, bytes| (way == Way::Between).then_some(Timed::Transfer { is_fill, bytes });
    match command {
        Command::Dispatch(dispatch) => Some(Timed::Dispatch(Arc::clone(&dispatch.label))),
        Command::Copy { target, .. } => transfer(false, target.bytes),
        Command::Fill { target, .. } => transfer(true, target.bytes),
        Command::Library(_) => None,
    }
}
