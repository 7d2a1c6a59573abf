//! Timelines of a few steps of a long loop.

use super::{Profile, Running, scope};
use crate::device::Device;
use crate::submit::{Observer, Scope};

/// The steps of a loop that a [`Profiler`] records: some are skipped, some warm up, some are recorded, and all of it is
/// repeated. By default, one step is recorded once.
///
/// ```
/// use anywarp::insight::Schedule;
///
/// // Records steps 3, 4 and 5, and then 9, 10 and 11, counted from 0.
/// let schedule = Schedule::new().skip(2).warm_up(1).record(3).repeat(2);
/// # let _ = schedule;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    skip: u32,
    warm_up: u32,
    record: u32,
    repeat: u32,
}

impl Schedule {
    /// The schedule that records the first step.
    #[must_use]
    pub const fn new() -> Self {
        Self { skip: 0, warm_up: 0, record: 1, repeat: 1 }
    }

    /// Skips this many steps first, without any cost. By default, none.
    #[must_use]
    pub const fn skip(self, steps: u32) -> Self {
        Self { skip: steps, ..self }
    }

    /// Observes this many steps after those, and discards what was observed: the first timed launches take longer than
    /// later ones. By default, none.
    #[must_use]
    pub const fn warm_up(self, steps: u32) -> Self {
        Self { warm_up: steps, ..self }
    }

    /// Records this many steps after those, in one timeline. By default, one; with 0, none is ever recorded.
    #[must_use]
    pub const fn record(self, steps: u32) -> Self {
        Self { record: steps, ..self }
    }

    /// Does all of this so many times, each with a timeline of its own. By default, once.
    #[must_use]
    pub const fn repeat(self, times: u32) -> Self {
        Self { repeat: times, ..self }
    }

    /// The stage of a step, counted from 0.
    fn stage(self, step: u64) -> Stage {
        let [skip, warm_up, record] = [self.skip, self.warm_up, self.record].map(u64::from);
        let length = skip + warm_up + record;
        if record == 0 || step / length >= u64::from(self.repeat) {
            return Stage::Skip;
        }
        match step % length {
            at if at < skip => Stage::Skip,
            at if at < skip + warm_up => Stage::WarmUp,
            at => Stage::Record { last: at + 1 == length },
        }
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Skip,
    WarmUp,
    Record { last: bool },
}

/// The state of a profiler during a step.
enum State {
    Skipping,
    /// The observer only makes the device time its launches.
    WarmingUp {
        _observer: Observer,
    },
    Recording(Running, Scope),
}

/// Records timelines of the steps of a loop that a [`Schedule`] selects.
///
/// ```
/// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::Device;
/// use anywarp::insight::{Profiler, Schedule};
///
/// let device = Device::open("cpu")?;
/// let train = device.kernel(
///     "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
///      @compute @workgroup_size(64)
///      fn train(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] *= 0.5; }",
/// )?;
/// let mut x = device.buffer_from(&vec![1.0f32; 1 << 12])?;
///
/// let mut profiler = Profiler::start(&device, Schedule::new().skip(2).warm_up(1).record(3))?;
/// let mut recorded = Vec::new();
/// for _ in 0..100 {
///     train.launch().bind("x", &mut x).threads(1 << 12)?;
///     recorded.extend(profiler.step()?); // at the end of each step
/// }
/// let [profile] = &recorded[..] else { panic!("expected one timeline") };
/// assert_eq!(profile.table(Default::default())[0].count, 3); // one launch in each of three steps
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
/// # fn main() {}
/// ```
pub struct Profiler {
    device: Device,
    schedule: Schedule,
    step: u64,
    state: State,
}

impl Profiler {
    /// Begins the first step.
    ///
    /// # Errors
    /// Those of [`Device::synchronize`], for earlier work, if the first step is recorded.
    pub fn start(device: &Device, schedule: Schedule) -> crate::Result<Self> {
        let mut profiler = Self { device: device.clone(), schedule, step: 0, state: State::Skipping };
        profiler.enter()?;
        Ok(profiler)
    }

    /// Ends a step and begins the next one. Returns the timeline at the end of the last of the recorded steps, in which
    /// each step is a [`scope`](fn@super::scope) with the name `step`.
    ///
    /// Before the first and after the last recorded step, it waits for all work of the device.
    ///
    /// # Errors
    /// Those of [`Device::synchronize`]. Steps that were being recorded are lost then.
    pub fn step(&mut self) -> crate::Result<Option<Profile>> {
        let ended = self.schedule.stage(self.step);
        self.step += 1;
        let profile = match (std::mem::replace(&mut self.state, State::Skipping), ended) {
            (State::Recording(running, step), Stage::Record { last: false }) => {
                drop(step);
                self.state = State::Recording(running, scope(&self.device, "step"));
                return Ok(None);
            }
            (State::Recording(running, step), _) => {
                drop(step);
                Some(running.end(&self.device)?)
            }
            (State::WarmingUp { _observer }, _) if self.schedule.stage(self.step) == Stage::WarmUp => {
                self.state = State::WarmingUp { _observer };
                return Ok(None);
            }
            (warm @ State::WarmingUp { .. }, _) => {
                // The observer ends when the next one exists, so that the device stays observed.
                self.enter()?;
                drop(warm);
                return Ok(None);
            }
            (State::Skipping, _) => None,
        };
        self.enter()?;
        Ok(profile)
    }

    /// Returns the timeline of the steps that were recorded so far, if the loop ends while some are recorded. Work
    /// after the last [`step`](Self::step) is part of it, but no step.
    ///
    /// # Errors
    /// Those of [`Device::synchronize`].
    pub fn finish(self) -> crate::Result<Option<Profile>> {
        match self.state {
            State::Recording(running, step) => {
                step.cancel();
                running.end(&self.device).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Prepares the step that begins, after a step of another kind or the end of a timeline.
    fn enter(&mut self) -> crate::Result<()> {
        self.state = match self.schedule.stage(self.step) {
            Stage::Skip => State::Skipping,
            Stage::WarmUp => State::WarmingUp { _observer: self.device.observe() },
            Stage::Record { .. } => {
                let running = Running::start(&self.device)?;
                State::Recording(running, scope(&self.device, "step"))
            }
        };
        Ok(())
    }
}

impl std::fmt::Debug for Profiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profiler").field("schedule", &self.schedule).field("step", &self.step).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_stage() {
        let stages = |schedule: Schedule| -> String {
            let letter = |step| match schedule.stage(step) {
                Stage::Skip => '-',
                Stage::WarmUp => 'w',
                Stage::Record { last: false } => 'r',
                Stage::Record { last: true } => 'R',
            };
            (0..14).map(letter).collect()
        };
        assert_eq!(stages(Schedule::new()), "R-------------");
        assert_eq!(stages(Schedule::new().skip(2).warm_up(1).record(3)), "--wrrR--------");
        assert_eq!(stages(Schedule::new().skip(2).warm_up(1).record(3).repeat(2)), "--wrrR--wrrR--");
        assert_eq!(stages(Schedule::new().warm_up(2).record(2).repeat(9)), "wwrRwwrRwwrRww");
        assert_eq!(stages(Schedule::new().skip(3).record(0)), "--------------");
        assert_eq!(stages(Schedule::new().record(3).repeat(0)), "--------------");
    }
}
