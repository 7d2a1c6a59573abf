//! Timelines: the work of a program on a device, on one time axis.

mod align;
mod table;
#[cfg(test)]
mod tests;
mod trace;

use std::sync::Arc;
use std::time::Duration;

pub use table::{Idle, Row, Sort};

use crate::device::Device;
use crate::submit::{Event, Observed};

/// The kind of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SpanKind {
    /// A kernel or a library call on the device.
    Kernel,
    /// A compilation on the host.
    Compile,
    /// A wait of a host thread for the device.
    Wait,
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The kind.
    pub kind: SpanKind,
    /// The name of the kernel; `wait` for waits.
    pub label: Arc<str>,
    /// For kernels, the number of the stream.
    pub stream: u32,
    /// For kernels, the number of the submission.
    pub submission: u64,
    /// The start since the device was opened, on the host's clock.
    pub start: Duration,
    /// The end on the same clock.
    pub end: Duration,
}

impl Span {
    /// The time from start to end.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}

/// The events of a device while some work ran, on the host's clock.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The spans in the order of their starts.
    pub spans: Vec<Span>,
    /// All events as the device reported them, in the order in which they were noticed.
    pub events: Vec<Observed>,
    /// The start and the end of the work.
    pub range: (Duration, Duration),
    /// By how much the times of kernels may be shifted against those of the host, as the clocks of both are compared only
    /// through the events; zero without kernels.
    pub uncertainty: Duration,
    /// The number of events that were lost because there were too many.
    pub dropped: u64,
}

/// Runs `work` and returns its result and the timeline of the device meanwhile.
///
/// All work of the device is awaited before and after, so that the timeline has all of it and nothing else. Launches are
/// timed, which has a small cost on some devices; other threads may use the device, too, and are part of the timeline.
///
/// # Errors
/// Those of [`Device::synchronize`], for the work before and in `work`.
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::{Device, insight};
///
/// let device = Device::open("cpu")?;
/// let double = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
///      @compute @workgroup_size(64)
///      fn double(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] *= 2.0; }",
/// )?;
/// let mut x = device.buffer_from(&vec![1.0f32; 1 << 16])?;
///
/// let (result, profile) = insight::profile(&device, || -> anywarp::Result<()> {
///     for _ in 0..3 {
///         double.launch().bind("x", &mut x).threads(1 << 16)?;
///     }
///     Ok(())
/// })?;
/// result?;
/// let rows = profile.table(insight::Sort::Total);
/// assert_eq!((&*rows[0].label, rows[0].count), ("kernel:double", 3));
/// let trace = profile.trace(); // write it to a file, and open that with ui.perfetto.dev
/// assert!(trace.contains("\"kernel:double\""));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
pub fn profile<T>(device: &Device, work: impl FnOnce() -> T) -> crate::Result<(T, Profile)> {
    device.synchronize()?;
    let observer = device.observe();
    let start = device.uptime();
    let result = work();
    device.synchronize()?;
    let end = device.uptime();
    let dropped = observer.dropped();
    Ok((result, Profile::of(observer.take(), (start, end), dropped)))
}

impl Profile {
    /// Puts events on one time axis.
    pub(super) fn of(events: Vec<Observed>, range: (Duration, Duration), dropped: u64) -> Self {
        let shift = align::shift(&events);
        let mut spans = Vec::new();
        for observed in &events {
            let at = observed.at;
            match &observed.event {
                Event::Command { stream, submission, label, start, end, .. } => spans.push(Span {
                    kind: SpanKind::Kernel,
                    label: Arc::clone(label),
                    stream: *stream,
                    submission: *submission,
                    start: shift.applied(*start),
                    end: shift.applied(*end),
                }),
                Event::CompileMiss { kernel, took } => spans.push(on_host(SpanKind::Compile, kernel, at, *took)),
                Event::Wait { took } => spans.push(on_host(SpanKind::Wait, &"wait".into(), at, *took)),
                _ => {}
            }
        }
        spans.sort_by_key(|span| (span.start, span.end));
        Self { spans, events, range, uncertainty: shift.uncertainty(), dropped }
    }

    /// The time of the work.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.range.1.saturating_sub(self.range.0)
    }

    /// The spans of one kind.
    pub fn of_kind(&self, kind: SpanKind) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.kind == kind)
    }
}

/// A span that ended when its event was noticed.
fn on_host(kind: SpanKind, label: &Arc<str>, at: Duration, took: Duration) -> Span {
    Span { kind, label: Arc::clone(label), stream: 0, submission: 0, start: at.saturating_sub(took), end: at }
}
