//! Signs of life of the kernel: the host notices when one of its workgroups does not come to the end of a message.
//!
//! A workgroup of a resident kernel counts its repetitions in a word behind the control words, idle or not. The end of
//! a message is a sign of life, too, so a repetition with many messages needs no beats of its own. In batches, the sign
//! of life is the end of a submission. The other direction needs no signs: no kernel outlives its host, which starts
//! every launch of CUDA's and every batch, and is the same process on the processor.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::cell::Cell;
use super::clock::Instant;
use super::core::{Core, Stage};
use super::engine::Engine;
use super::error::AskError;
use super::mail::Mail;
use super::worker::Alarm;

/// The longest time between two looks that counts as silence: in a longer one, the host itself did not run.
const AWAKE: Duration = Duration::from_millis(250);

/// The time between two looks after deadlines, if there is none.
const ASLEEP: Duration = Duration::from_secs(1);

/// The least time between two looks of the ring's thread.
pub(super) const LOOK: Duration = Duration::from_millis(20);

/// The signs of life of one workgroup of a resident kernel, or of a kernel that runs in batches: see
/// [`Telemetry::residents`](super::Telemetry::residents).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResidentTelemetry {
    /// The repetitions of the workgroup, which count on while there are no messages. In batches, the submissions.
    pub beats: u64,
    /// The time since the last sign of life, a repetition or the end of a message, as the host has noticed it: up to
    /// about 20 ms late. In batches, the duration of the submission that is under way. Zero while the ring does not
    /// run.
    pub silence: Duration,
}

/// The signs of life as of the last look.
#[derive(Default)]
pub(super) struct Pulse(Mutex<Looks>);

#[derive(Default)]
struct Looks {
    beats: Vec<Beat>,
    last: Option<Instant>,
}

struct Beat {
    word: u32,
    beats: u64,
    handled: u64,
    seen: Instant,
}

/// The time at which a submission began; 0 without one, else in nanoseconds since the start of the ring.
#[derive(Default)]
pub(super) struct UnderWay(AtomicU64);

impl UnderWay {
    pub(super) fn begins(&self, core: &Core) {
        let now = u64::try_from(core.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.store(now.max(1), Ordering::Release);
    }

    pub(super) fn ends(&self) {
        self.0.store(0, Ordering::Release);
    }

    fn duration(&self, core: &Core) -> Duration {
        match self.0.load(Ordering::Acquire) {
            0 => Duration::ZERO,
            began => core.started.elapsed().saturating_sub(Duration::from_nanos(began)),
        }
    }
}

impl Core {
    /// Looks at the signs of life of each workgroup.
    pub(super) fn residents(&self) -> Vec<ResidentTelemetry> {
        match &self.engine {
            Engine::Batched(engine) => {
                let silence = engine.under_way.duration(self);
                vec![ResidentTelemetry { beats: engine.submissions.get(), silence }]
            }
            Engine::Persistent(engine) => {
                let runs = matches!(self.stage(), Stage::Running | Stage::Closing) && !self.is_away();
                let mut own = self.pulse.0.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let groups = engine.places.groups;
                let Looks { beats, last } = &mut *own;
                beats.resize_with(groups as usize, || Beat { word: 0, beats: 0, handled: 0, seen: now });
                let pause = last.replace(now).map_or(Duration::ZERO, |last| now.saturating_duration_since(last));
                let asleep = pause.saturating_sub(AWAKE);
                let look = |(group, beat): (u32, &mut Beat)| {
                    let word = engine.beat(group);
                    let lives = beat.word != word || !runs || {
                        // Only then, as this looks at each actor.
                        let handled = self.handled_by(group, groups);
                        std::mem::replace(&mut beat.handled, handled) != handled
                    };
                    beat.beats += u64::from(word.wrapping_sub(beat.word));
                    beat.word = word;
                    beat.seen = if lives { now } else { beat.seen + asleep };
                    ResidentTelemetry { beats: beat.beats, silence: now.saturating_duration_since(beat.seen) }
                };
                (0..).zip(beats).map(look).collect()
            }
        }
    }

    /// The messages that the actors of a workgroup have handled; the sum may wrap.
    pub(super) fn handled_by(&self, group: u32, groups: u32) -> u64 {
        let counts = self.engine.counts();
        let actors = self.posts.iter().enumerate().skip(group as usize).step_by(groups as usize);
        let handled = |(actor, post): (usize, &super::post::Post)| {
            u64::from(post.next()) + u64::from(Mail::of(counts, actor).handled)
        };
        actors.map(handled).fold(0, u64::wrapping_add)
    }

    /// Completes the asks to actors whose workgroup is silent for longer than allowed. Wake the tasks afterwards.
    fn checks_pulse(&self, allowed: Duration) {
        let residents = self.residents();
        for (group, ResidentTelemetry { silence, .. }) in residents.iter().enumerate() {
            if *silence <= allowed {
                continue;
            }
            for (actor, post) in self.posts.iter().enumerate().skip(group).step_by(residents.len()) {
                let actor = actor as u32;
                let mut state = post.lock();
                // Replies that have arrived are replies.
                self.reap(actor, post, &mut state);
                let backlog = state.backlog.iter().map(|letter| &letter.entry);
                let cells = state.waiting.iter().chain(backlog).filter_map(|entry| entry.cell.clone());
                let cells: Vec<Arc<Cell>> = cells.filter(|cell| !cell.is_done()).collect();
                drop(state);
                for cell in cells {
                    let _ = self.complete(&cell, Err(AskError::Unresponsive { actor, silence: *silence, allowed }));
                }
            }
        }
    }

    /// The loop that looks after the kernel and after deadlines, until the ring has ended. The ring's own loop may wait
    /// for a submission.
    pub(super) async fn watches(&self, allowed: Option<Duration>) {
        let pause = |allowed: Duration| (allowed / 8).clamp(Duration::from_millis(1), Duration::from_millis(100));
        let pause = allowed.map_or(ASLEEP, pause);
        let mut alarm = Alarm::new();
        while !matches!(self.stage(), Stage::Stopped | Stage::Failed) {
            if let Some(allowed) = allowed {
                self.checks_pulse(allowed);
            }
            self.wake_sleepers(false);
            self.serve_futures();
            alarm.sleep(&self.watcher, self.until_next(pause)).await;
        }
    }
}
