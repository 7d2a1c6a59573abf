//! The adviser: pitfalls of a program, from its timeline.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::{Profile, Span, SpanKind};
use crate::submit::Event;

/// The kind of a pitfall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Pitfall {
    /// Many kernels that each take less than their launch.
    TinyKernels,
    /// Data goes to the device and back again and again.
    TransfersBackAndForth,
    /// The host waits for nearly every submission.
    WaitsInTheLoop,
    /// The device waits for the host.
    StarvedDevice,
    /// Buffers are made and dropped again and again.
    AllocationChurn,
    /// Kernels are compiled while others could run, several times under the same name.
    Recompilation,
    /// The host copies data into and out of buffers whose memory it shares with the device.
    NeedlessCopies,
    /// Launches have numbers of workgroups that leave many multiprocessors idle, in their only or their last round.
    UnevenGrid,
}

impl Pitfall {
    /// The name in listings, such as `tiny-kernels`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TinyKernels => "tiny-kernels",
            Self::TransfersBackAndForth => "transfers-back-and-forth",
            Self::WaitsInTheLoop => "waits-in-the-loop",
            Self::StarvedDevice => "starved-device",
            Self::AllocationChurn => "allocation-churn",
            Self::Recompilation => "recompilation",
            Self::NeedlessCopies => "needless-copies",
            Self::UnevenGrid => "uneven-grid",
        }
    }

    /// The fix, with the part of the API to use.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::TinyKernels => {
                "record the launches once and replay them (`Device::recording`), or fuse them: one \
                 `ElementwiseKernel` for a chain of operations"
            }
            Self::TransfersBackAndForth => {
                "leave intermediate results in their buffers, and read the last one only; reductions on the device \
                 (`ops::sum`) return a number instead of an array"
            }
            Self::WaitsInTheLoop => {
                "let the host run ahead: read every tenth result, or read without blocking (`read_async`, \
                 `Submission` as a future)"
            }
            Self::StarvedDevice => {
                "prepare the next input while kernels run: `loader`, streams (`Device::stream`), or a replayed recording \
                 instead of single launches"
            }
            Self::AllocationChurn => "make the buffers once before the loop, and write into them",
            Self::Recompilation => {
                "make the kernel once and keep it; give values that change as uniforms or immediates instead of \
                 overrides or text"
            }
            Self::NeedlessCopies => {
                "use the elements in place: `write`, `update` and `read` return guards of the buffer's own memory, so \
                 that `copy_from_slice`, `copy_to_slice` and `buffer_from` are not needed"
            }
            Self::UnevenGrid => {
                "give each launch at least four workgroups for each multiprocessor: smaller workgroups \
                 (`@workgroup_size`), less work for each invocation, or several problems in one launch; `tune` finds the \
                 best size"
            }
        }
    }
}

/// One finding about a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The kind.
    pub pitfall: Pitfall,
    /// The evidence, with numbers.
    pub evidence: String,
    /// The time that the pitfall costs in this profile, as far as it can be told.
    pub cost: Duration,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.cost.as_secs_f64() * 1e3;
        writeln!(f, "{}: {} (about {ms:.2} ms)", self.pitfall.name(), self.evidence)?;
        write!(f, "  = help: {}", self.pitfall.help())
    }
}

/// Kernels below this time are tiny: launches take a few microseconds.
const TINY: Duration = Duration::from_micros(10);
/// A pitfall is found from this number of repetitions.
const OFTEN: usize = 20;

impl Profile {
    /// The pitfalls that the timeline shows, those that cost most first.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::insight::{Pitfall, profile};
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let (_, profile) = profile(&device, || {
    ///     for _ in 0..100 {
    ///         drop(device.buffer_from(&[0u32; 1024])); // a new buffer each time
    ///     }
    /// })?;
    /// assert_eq!(profile.advice()[0].pitfall, Pitfall::AllocationChurn);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        let rules = [
            self.tiny_kernels(),
            self.back_and_forth(),
            self.waits(),
            self.starved(),
            self.churn(),
            self.recompilation(),
            self.needless_copies(),
            self.uneven_grid(),
        ];
        let mut found: Vec<Advice> = rules.into_iter().flatten().collect();
        found.sort_by_key(|advice| std::cmp::Reverse(advice.cost));
        found
    }

    fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|observed| is(&observed.event)).count()
    }

    fn submissions(&self) -> usize {
        self.count(|event| matches!(event, Event::Submission { .. }))
    }

    fn tiny_kernels(&self) -> Option<Advice> {
        let kernels = self.of_kind(SpanKind::Kernel).count();
        let tiny: Vec<Duration> =
            self.of_kind(SpanKind::Kernel).map(Span::duration).filter(|took| *took < TINY).collect();
        let cost = TINY.saturating_sub(tiny.iter().sum::<Duration>() / u32::try_from(tiny.len().max(1)).ok()?);
        (tiny.len() >= OFTEN && tiny.len() * 2 > kernels).then(|| Advice {
            pitfall: Pitfall::TinyKernels,
            evidence: format!("{} of {kernels} kernels take less than {} us", tiny.len(), TINY.as_micros()),
            cost: cost * u32::try_from(tiny.len()).unwrap_or(u32::MAX),
        })
    }

    fn back_and_forth(&self) -> Option<Advice> {
        let (mut turns, mut bytes) = (0, 0);
        let mut last = None;
        for observed in &self.events {
            let (upload, size) = match observed.event {
                Event::Upload { bytes } => (true, bytes),
                Event::Download { bytes } => (false, bytes),
                _ => continue,
            };
            bytes += size;
            turns += usize::from(last.is_some_and(|last| last != upload));
            last = Some(upload);
        }
        // Without a measured rate: 10 GB/s, that of a slow bus.
        (turns >= OFTEN).then(|| Advice {
            pitfall: Pitfall::TransfersBackAndForth,
            evidence: format!("the direction of transfers changes {turns} times, for {bytes} bytes in all"),
            cost: Duration::from_nanos(bytes / 10),
        })
    }

    fn waits(&self) -> Option<Advice> {
        let (waits, submissions) = (self.of_kind(SpanKind::Wait).count(), self.submissions());
        let idle = self.idle();
        // A long read waits for each of its parts, but then the host copies, and is not late.
        (waits >= OFTEN && waits * 2 > submissions && self.matters(idle.host)).then(|| Advice {
            pitfall: Pitfall::WaitsInTheLoop,
            evidence: format!("the host waits {waits} times for {submissions} submissions"),
            cost: idle.host,
        })
    }

    fn starved(&self) -> Option<Advice> {
        let idle = self.idle();
        let kernels = self.of_kind(SpanKind::Kernel).count();
        (kernels >= OFTEN && idle.host > idle.busy).then(|| Advice {
            pitfall: Pitfall::StarvedDevice,
            evidence: format!(
                "all submitted kernels had ended for {:.0} % of the time",
                100.0 * idle.host.as_secs_f64() / self.duration().as_secs_f64().max(f64::MIN_POSITIVE)
            ),
            cost: idle.host,
        })
    }

    fn churn(&self) -> Option<Advice> {
        let made = self.count(|event| matches!(event, Event::Allocation { .. }));
        let freed = self.count(|event| matches!(event, Event::Free { .. }));
        // An allocation takes a few microseconds at least, on GPUs far more.
        (made.min(freed) >= OFTEN).then(|| Advice {
            pitfall: Pitfall::AllocationChurn,
            evidence: format!("{made} buffers were made and {freed} dropped"),
            cost: Duration::from_micros(5) * u32::try_from(made.min(freed)).unwrap_or(u32::MAX),
        })
    }

    fn recompilation(&self) -> Option<Advice> {
        let mut compilations: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
        for span in self.of_kind(SpanKind::Compile) {
            let (count, total) = compilations.entry(&span.label).or_default();
            *count += 1;
            *total += span.duration();
        }
        let (kernel, (count, total)) = compilations.into_iter().max_by_key(|(_, (count, _))| *count)?;
        (count >= 3).then(|| Advice {
            pitfall: Pitfall::Recompilation,
            evidence: format!("'{kernel}' was compiled {count} times"),
            cost: total,
        })
    }

    fn needless_copies(&self) -> Option<Advice> {
        let is_copy = |span: &&Span| matches!(span.kind, SpanKind::CopyIn | SpanKind::CopyOut);
        let copies: Vec<&Span> = self.spans.iter().filter(is_copy).collect();
        let bytes: u64 = copies.iter().map(|span| span.bytes).sum();
        let cost: Duration = copies.iter().map(|span| span.duration()).sum();
        (self.unified && copies.len() >= OFTEN && self.matters(cost)).then(|| Advice {
            pitfall: Pitfall::NeedlessCopies,
            evidence: format!(
                "the host copies data into and out of buffers {} times, {bytes} bytes in all, although it shares their \
                 memory with the device",
                copies.len()
            ),
            cost,
        })
    }

    /// The kernel that loses most by its numbers of workgroups, if multiprocessors take the same time for each of them.
    fn uneven_grid(&self) -> Option<Advice> {
        let multiprocessors = u64::from(self.multiprocessors?.max(1));
        // By kernel: the whole time, the time of idle multiprocessors, and the loss and the workgroups of the worst
        // launch.
        let mut kernels: BTreeMap<&str, (Duration, Duration, (Duration, u64))> = BTreeMap::new();
        for span in self.of_kind(SpanKind::Kernel).filter(|span| span.duration() >= TINY) {
            let Some(workgroups) = span.workgroups.filter(|count| *count > 0) else { continue };
            let places = workgroups.div_ceil(multiprocessors).saturating_mul(multiprocessors);
            let lost = span.duration().mul_f64((places - workgroups) as f64 / places as f64);
            let (total, idle, worst) = kernels.entry(&span.label).or_default();
            *total += span.duration();
            *idle += lost;
            *worst = (*worst).max((lost, workgroups));
        }
        let (kernel, (total, cost, (_, workgroups))) = kernels.into_iter().max_by_key(|(_, (_, idle, _))| *idle)?;
        (cost * 4 > total && self.matters(cost)).then(|| Advice {
            pitfall: Pitfall::UnevenGrid,
            evidence: format!(
                "'{kernel}' has {workgroups} workgroups for {multiprocessors} multiprocessors, which are idle for up to \
                 {:.0} % of its time",
                100.0 * cost.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE)
            ),
            cost,
        })
    }

    /// Whether a time is at least a hundredth of the whole.
    fn matters(&self, time: Duration) -> bool {
        !time.is_zero() && time * 100 >= self.duration()
    }
}
