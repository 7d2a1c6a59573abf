//! The measurements of candidates on a device.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::argument::{Start, binding, is_written};
use super::compare::difference;
use super::{Overrides, Progress, Tuner};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::submit::Submission;
use crate::tune::{Candidate, Dropped, Goal, Judge, Space, goal};

/// The time beyond the limit of a candidate that its launch may take before the candidate counts as hanging: the first launch of a
/// kernel includes work that drivers postpone until then.
const GRACE: Duration = Duration::from_secs(1);

/// The least time of all launches of a round together. A round has several launches if they are short.
const ROUND: Duration = Duration::from_millis(2);

/// The greatest number of launches in a round.
const LAUNCHES: u32 = 16;

/// The greatest number of threads that compile, and of candidates of a search that compiles all of them first.
const THREADS: usize = 8;
const AHEAD: usize = 256;

/// The contents of each written buffer after a launch; `None` for a buffer that is not compared.
type Results = Vec<Option<Vec<u8>>>;

pub(super) struct Bench<'t, 'a> {
    tuner: Tuner<'a>,
    space: &'t Space,
    candidates: &'t [Candidate],
    kernels: Vec<Option<Kernel>>,
    /// The default's results with the user's contents.
    expected: Results,
    /// The default's results with poisoned buffers; `None` if the kernel does not end with them.
    poisoned: Option<Results>,
    /// The default's time in its first launch.
    first: Duration,
    begun: usize,
    /// The candidate with the shortest time so far.
    leader: Option<(usize, Duration)>,
    started: Instant,
    /// The device `cpu:checked`, if it is used.
    checked: Option<Device>,
    /// The error because of which the default was dropped.
    error: Option<crate::Error>,
}

impl<'t, 'a> Bench<'t, 'a> {
    pub(super) fn new(tuner: Tuner<'a>, space: &'t Space, candidates: &'t [Candidate]) -> Self {
        Self {
            tuner,
            space,
            candidates,
            kernels: vec![None; candidates.len()],
            expected: Vec::new(),
            poisoned: None,
            first: Duration::ZERO,
            begun: 0,
            leader: None,
            started: Instant::now(),
            checked: None,
            error: None,
        }
    }

    /// The error of the library because of which the default was dropped.
    pub(super) fn take_error(&mut self) -> Option<crate::Error> {
        self.error.take()
    }

    /// Compiles the candidates on several threads, at most for this time, before anything is measured. A candidate that is
    /// refused is compiled again in its turn, for its error.
    pub(super) fn compile_ahead(&mut self, budget: Duration) {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        if threads == 1 || self.candidates.len() > AHEAD {
            return;
        }
        let (device, space, wgsl, candidates) = (self.tuner.device, self.space, &self.tuner.wgsl, self.candidates);
        let (next, started) = (AtomicUsize::new(0), self.started);
        let compiled = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while started.elapsed() < budget {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(candidate) = candidates.get(at) else { return };
                        if let Ok(kernel) = device.kernel(space.apply(wgsl, candidate)) {
                            compiled.lock().unwrap_or_else(PoisonError::into_inner).push((at, kernel));
                        }
                    }
                });
            }
        });
        for (at, kernel) in compiled.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.kernels[at] = Some(kernel);
        }
    }

    /// The compiled kernel of a candidate, which is kept for further calls.
    pub(super) fn again(&mut self, candidate: usize) -> crate::Result<Kernel> {
        let kernel = self.kernel(candidate)?;
        self.kernels[candidate] = Some(kernel.clone());
        Ok(kernel)
    }

    /// Runs a candidate at a small size on `cpu:checked`, if the caller has a launch for it.
    fn check_small(&mut self, candidate: usize) -> Result<(), Failure> {
        let Some(run) = &mut self.tuner.small else { return Ok(()) };
        let device = match &self.checked {
            Some(device) => device,
            None => self.checked.insert(Device::open("cpu:checked")?),
        };
        let kernel = device.kernel(self.space.apply(&self.tuner.wgsl, &self.candidates[candidate]))?;
        let errors = device.findings().errors().count();
        run(device, &kernel)?;
        device.synchronize()?;
        match device.findings().errors().nth(errors) {
            Some(finding) => Err(Failure::Dropped(Dropped::Wrong(format!("a finding of cpu:checked: {finding}")))),
            None => Ok(()),
        }
    }

    /// The compiled kernel of a candidate.
    fn kernel(&mut self, candidate: usize) -> crate::Result<Kernel> {
        match self.kernels[candidate].take() {
            Some(kernel) => Ok(kernel),
            None => self.compile(candidate),
        }
    }

    fn compile(&self, candidate: usize) -> crate::Result<Kernel> {
        Ok(self.tuner.device.kernel(self.space.apply(&self.tuner.wgsl, &self.candidates[candidate]))?)
    }

    /// Compiles a candidate, runs it and compares its results.
    fn examine(&mut self, candidate: usize) -> Result<(), Failure> {
        let kernel = self.again(candidate)?;
        self.check_small(candidate)?;
        if candidate == 0 {
            return self.prepare(&kernel);
        }
        let limit = self.first.saturating_mul(20).max(GRACE);
        if self.poisoned.is_some() {
            let results = self.results(candidate, Start::Poisoned, limit)?;
            self.poisoned.as_ref().map_or(Ok(()), |expected| self.compare(&kernel, &results, expected))?;
        }
        let results = self.results(candidate, Start::Copied, limit)?;
        self.compare(&kernel, &results, &self.expected)
    }

    /// Runs the default, whose results are the expected ones.
    fn prepare(&mut self, kernel: &Kernel) -> Result<(), Failure> {
        for argument in &mut self.tuner.arguments {
            if is_written(kernel, argument.key()) {
                argument.copy_for_writing(self.tuner.device)?;
            }
        }
        self.expected = self.results(0, Start::Copied, Duration::MAX)?;
        let start = Instant::now();
        let again = self.results(0, Start::Copied, Duration::MAX)?;
        self.first = start.elapsed();
        self.compare(kernel, &again, &self.expected).map_err(|failure| match failure {
            Failure::Dropped(Dropped::Wrong(difference)) => Failure::Dropped(Dropped::Wrong(format!(
                "its results differ from run to run, so that no others can be compared with them: {difference} (ignore \
                 this buffer, or allow a greater tolerance)"
            ))),
            other => other,
        })?;
        // A kernel that reads what it writes may not end with such contents.
        let limit = self.first.saturating_mul(20).max(GRACE);
        self.poisoned = self.results(0, Start::Poisoned, limit).ok();
        Ok(())
    }

    /// Runs a candidate once and reads the buffers that it has written.
    fn results(&mut self, candidate: usize, start: Start, limit: Duration) -> Result<Results, Failure> {
        self.launch(candidate, start, limit)?;
        let mut results = Vec::with_capacity(self.tuner.arguments.len());
        for argument in &self.tuner.arguments {
            let ignored = self.tuner.ignored.iter().any(|key| key == argument.key());
            results.push(if ignored { None } else { argument.read()? });
        }
        Ok(results)
    }

    fn compare(&self, kernel: &Kernel, got: &Results, expected: &Results) -> Result<(), Failure> {
        for ((argument, got), expected) in self.tuner.arguments.iter().zip(got).zip(expected) {
            let (Some(got), Some(expected)) = (got, expected) else { continue };
            // A candidate may lack the variable; the default, which has it, has written something else then.
            let default = self.kernels[0].as_ref().unwrap_or(kernel);
            let Some(info) = binding(default, argument.key()) else { continue };
            if let Some(message) = difference(&info.name, &info.layout, got, expected, self.tuner.tolerance) {
                return Err(Failure::Dropped(Dropped::Wrong(message)));
            }
        }
        Ok(())
    }

    /// Runs a candidate once and returns the time of the launch.
    fn launch(&mut self, candidate: usize, start: Start, limit: Duration) -> Result<Duration, Failure> {
        let Some(kernel) = self.kernels[candidate].clone() else { return Err(Failure::lost()) };
        let overrides = Overrides::new(self.space, &self.candidates[candidate]);
        for argument in &mut self.tuner.arguments {
            argument.reset(start)?;
        }
        // The copies are not part of the time.
        self.tuner.device.synchronize()?;
        let mut launch = kernel.launch().timed();
        for argument in &mut self.tuner.arguments {
            // The arguments must fit the default, but other candidates may not use all of them.
            if candidate == 0 || binding(&kernel, argument.key()).is_some() {
                launch = argument.bind(launch);
            }
        }
        for value in &self.tuner.values {
            if candidate == 0 || kernel.layout_of(&value.path).is_some() {
                launch = (value.set)(launch, &value.path);
            }
        }
        let Some(grid) = &self.tuner.grid else { return Err(Failure::lost()) };
        let begun = Instant::now();
        let submission = grid.launch(launch, &overrides)?;
        if !finished(&submission, limit)? {
            // The memory is reused, so that the launch must end; the library stops loops without an end.
            let _ = submission.wait();
            return Err(Failure::Dropped(Dropped::Slow(limit)));
        }
        let elapsed = begun.elapsed();
        Ok(submission.timings().map_or(elapsed, |timings| timings.total()))
    }

    /// The median of the times of several launches; for a goal of energy, what one launch uses.
    fn round(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Failure> {
        let launches = (ROUND.as_nanos() / self.first.as_nanos().max(1)).clamp(1, LAUNCHES.into()) as u32;
        if self.tuner.goal == Goal::Energy {
            let longest = self.first.saturating_mul(20).max(GRACE);
            let energy = goal::energy(self.tuner.device, || {
                (0..launches).try_for_each(|_| self.launch(candidate, Start::Copied, longest).map(|_| ()))?;
                Ok::<_, Failure>(launches)
            })?;
            return if energy <= limit { Ok(energy) } else { Err(Failure::Dropped(Dropped::wasteful(energy, limit))) };
        }
        let mut times = Vec::new();
        for _ in 0..launches {
            times.push(self.launch(candidate, Start::Copied, limit)?);
        }
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }

    /// The reason for which the candidate leaves the search.
    fn dropped(&mut self, candidate: usize, failure: Failure) -> Dropped {
        if candidate != 0 {
            self.kernels[candidate] = None;
        }
        match failure {
            Failure::Dropped(dropped) => dropped,
            Failure::Library(error) => {
                let message = error.to_string();
                if candidate == 0 {
                    self.error = Some(error);
                }
                Dropped::Failed(message)
            }
        }
    }
}

impl Judge for Bench<'_, '_> {
    fn check(&mut self, candidate: usize) -> Result<(), Dropped> {
        self.begun += 1;
        let elapsed = self.elapsed();
        if let Some(progress) = &mut self.tuner.progress {
            let leader = self.leader.map(|(leader, time)| (self.space.describe(&self.candidates[leader]), time));
            progress(Progress { begun: self.begun, candidates: self.candidates.len(), elapsed, leader });
        }
        let errors = self.tuner.device.findings().errors().count();
        self.examine(candidate).map_err(|failure| self.dropped(candidate, failure))?;
        let found = self.tuner.device.findings();
        match found.errors().nth(errors) {
            Some(finding) if candidate != 0 => {
                let wrong = Failure::Dropped(Dropped::Wrong(format!("a finding: {finding}")));
                Err(self.dropped(candidate, wrong))
            }
            _ => Ok(()),
        }
    }

    fn time(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Dropped> {
        let time = self.round(candidate, limit).map_err(|failure| self.dropped(candidate, failure))?;
        if self.tuner.goal == Goal::Time {
            self.leader = self.leader.filter(|(_, least)| *least <= time).or(Some((candidate, time)));
        }
        Ok(time)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Waits for at most the limit and a grace period; returns whether the work has ended.
fn finished(submission: &Submission, limit: Duration) -> crate::Result<bool> {
    if limit == Duration::MAX {
        submission.wait()?;
        return Ok(true);
    }
    submission.wait_timeout(limit.saturating_add(GRACE))
}

/// The reason why a launch or a comparison has no result.
enum Failure {
    Dropped(Dropped),
    Library(crate::Error),
}

impl Failure {
    fn lost() -> Self {
        Self::Dropped(Dropped::Failed("the kernel was dropped before".to_owned()))
    }
}

impl<E: Into<crate::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(error.into())
    }
}
