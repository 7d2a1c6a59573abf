//! Timelines: the work of a program on a device, on one time axis.

mod align;
mod compare;
mod rings;
mod schedule;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod trace;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anywarp_backend::Clock;

pub(super) use compare::end_of;
pub use compare::{Compared, Comparison, Pair};
pub use rings::RingRow;
pub use schedule::{Profiler, Schedule};
pub use summary::{Sum, Summary};
pub use table::{Idle, Row, Sort};
pub(super) use trace::quoted;

use crate::device::Device;
use crate::submit::{Event, Observed, Observer, Scope, this_thread};

/// The kind of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SpanKind {
    /// A kernel or a library call on the device.
    Kernel,
    /// A copy on the device, or between host and device; only from devices that time these.
    Copy,
    /// A fill on the device, likewise.
    Fill,
    /// A compilation on the host.
    Compile,
    /// A wait of a host thread for the device.
    Wait,
    /// A call of the driver on the host that submits commands.
    Submission,
    /// A copy on the host into a buffer or memory for its transfer.
    CopyIn,
    /// A copy on the host out of a buffer or memory for its transfer.
    CopyOut,
    /// A named part of the program's time: [`scope`].
    Scope,
    /// A time in which a resident kernel had messages: that of a persistent [ring](crate::Device::ring).
    Ring,
}

impl SpanKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Kernel,
        Self::Copy,
        Self::Fill,
        Self::Compile,
        Self::Wait,
        Self::Submission,
        Self::CopyIn,
        Self::CopyOut,
        Self::Scope,
        Self::Ring,
    ];

    /// Whether spans of this kind are on a stream of the device, and not on a thread of the host or on a track of their
    /// own.
    #[must_use]
    pub fn is_on_device(self) -> bool {
        matches!(self, Self::Kernel | Self::Copy | Self::Fill)
    }

    /// The name in traces and listings, such as `kernel`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Compile => "compile",
            Self::Wait => "wait",
            Self::Submission => "submission",
            Self::CopyIn => "copy-in",
            Self::CopyOut => "copy-out",
            Self::Scope => "scope",
            Self::Ring => "ring",
        }
    }

    /// The kind of this name; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The kind.
    pub kind: SpanKind,
    /// The name of the kernel, the scope or the ring; the name of the kind for other spans.
    pub label: Arc<str>,
    /// For spans on the device, the number of the stream.
    pub stream: u32,
    /// For spans on the device and submissions, the number of the submission.
    pub submission: u64,
    /// For copies and fills, the number of bytes.
    pub bytes: u64,
    /// For kernels, the number of workgroups, if it is known.
    pub workgroups: Option<u64>,
    /// For spans on the host, the number of the thread, as in [`Observed::thread`].
    pub thread: u32,
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
    /// By how much the times of kernels may be shifted against those of the host, as the clocks of both are compared
    /// only through the events; zero without kernels.
    pub uncertainty: Duration,
    /// The number of events that were lost because there were too many.
    pub dropped: u64,
    /// The number of the thread that made the timeline.
    pub thread: u32,
    /// Whether host and device share one memory: [`Caps::unified`](crate::backend::Caps::unified).
    pub unified: bool,
    /// The number of multiprocessors, if it is known: [`Caps::multiprocessors`](crate::backend::Caps::multiprocessors).
    /// Set it to that of a [`Model`](super::Model) where the driver does not report it; [`advice`](Self::advice) uses it.
    pub multiprocessors: Option<u32>,
}

/// Runs `work` and returns its result and the timeline of the device meanwhile.
///
/// All work of the device is awaited before and after, so that the timeline has all of it and nothing else. Launches are
/// timed, which has a small cost on some devices; other threads may use the device, too, and are part of the timeline.
/// Resident kernels of [rings](crate::Device::ring) go on; the timeline has the times in which they had messages.
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
    let running = Running::start(device)?;
    let result = work();
    Ok((result, running.end(device)?))
}

/// Begins a named part of the program's time, which ends when the result is dropped.
///
/// Timelines show it on the track of the thread that began it. Scopes may be nested; a scope within another one has to
/// end first. Without an observer of the device, a scope costs one relaxed load.
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::{Device, insight};
///
/// let device = Device::open("cpu")?;
/// let (_, profile) = insight::profile(&device, || {
///     let _step = insight::scope(&device, "step");
///     {
///         let _load = insight::scope(&device, "load");
///         // .. reads the next input
///     }
///     // .. launches kernels
/// })?;
/// let names: Vec<&str> = profile.of_kind(insight::SpanKind::Scope).map(|span| &*span.label).collect();
/// assert_eq!(names, ["step", "load"]);
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
pub fn scope(device: &Device, name: &str) -> Scope {
    device.context.scope(name)
}

/// A timeline that is being made.
struct Running {
    observer: Observer,
    start: Duration,
}

impl Running {
    /// Starts after all earlier work of the device.
    fn start(device: &Device) -> crate::Result<Self> {
        device.synchronize()?;
        Ok(Self { observer: device.observe(), start: device.uptime() })
    }

    /// Waits for all work of the device.
    fn end(self, device: &Device) -> crate::Result<Profile> {
        device.synchronize()?;
        let end = device.uptime();
        device.context.events.collect();
        let dropped = self.observer.dropped();
        let caps = device.caps();
        let (thread, unified, multiprocessors) = (this_thread(), caps.unified, caps.multiprocessors);
        let profile = Profile::of(self.observer.take(), (self.start, end));
        Ok(Profile { dropped, thread, unified, multiprocessors, ..profile })
    }
}

impl Profile {
    /// Puts events on one time axis.
    pub(super) fn of(events: Vec<Observed>, range: (Duration, Duration)) -> Self {
        let shift = align::shift(&events);
        let submissions: HashMap<u64, Duration> = events
            .iter()
            .filter_map(|observed| match observed.event {
                Event::Submission { number, .. } => Some((number, observed.at)),
                _ => None,
            })
            .collect();
        let mut spans = Vec::new();
        for observed in &events {
            let at = observed.at;
            // A span on the host that ended when its event was noticed.
            let host = |kind: SpanKind, label: &Arc<str>, took: Duration| Span {
                kind,
                label: Arc::clone(label),
                stream: 0,
                submission: 0,
                bytes: 0,
                workgroups: None,
                thread: observed.thread,
                start: at.saturating_sub(took),
                end: at,
            };
            let unnamed = |kind: SpanKind, took| host(kind, &kind.name().into(), took);
            match &observed.event {
                Event::Transfer { stream, submission, is_fill, bytes, start, end } => {
                    let kind = if *is_fill { SpanKind::Fill } else { SpanKind::Copy };
                    let (stream, submission, bytes) = (*stream, *submission, *bytes);
                    let (start, end) = (shift.applied(*start), shift.applied(*end));
                    let span = unnamed(kind, Duration::ZERO);
                    spans.push(Span { stream, submission, bytes, thread: 0, start, end, ..span });
                }
                Event::Command { stream, submission, label, workgroups, start, end, clock } => {
                    // A time by the host's clock covers the whole submission.
                    let began = submissions.get(submission).copied().unwrap_or(at.saturating_sub(*end));
                    let (start, end) = match clock {
                        Clock::Device => (shift.applied(*start), shift.applied(*end)),
                        Clock::Host => (began, began + end.saturating_sub(*start)),
                    };
                    let (stream, submission, workgroups) = (*stream, *submission, *workgroups);
                    let span = host(SpanKind::Kernel, label, Duration::ZERO);
                    spans.push(Span { stream, submission, workgroups, thread: 0, start, end, ..span });
                }
                Event::CompileMiss { kernel, took } => spans.push(host(SpanKind::Compile, kernel, *took)),
                Event::Wait { took } => spans.push(unnamed(SpanKind::Wait, *took)),
                Event::HostCopy { bytes, to_buffer, took } => {
                    let kind = if *to_buffer { SpanKind::CopyIn } else { SpanKind::CopyOut };
                    spans.push(Span { bytes: *bytes, ..unnamed(kind, *took) });
                }
                Event::Scope { name, took } => spans.push(host(SpanKind::Scope, name, *took)),
                // Without a resident kernel, launches show the same time.
                Event::Activity { name, took, resident: true, .. } => {
                    spans.push(Span { thread: 0, ..host(SpanKind::Ring, name, *took) });
                }
                Event::Submission { number, took, .. } => {
                    let (submission, end) = (*number, at + *took);
                    spans.push(Span { submission, start: at, end, ..unnamed(SpanKind::Submission, *took) });
                }
                _ => {}
            }
        }
        // The outer one of two spans that start together comes first.
        spans.sort_by_key(|span| (span.start, Reverse(span.end)));
        let uncertainty = shift.uncertainty();
        Self { spans, events, range, uncertainty, dropped: 0, thread: 0, unified: false, multiprocessors: None }
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
