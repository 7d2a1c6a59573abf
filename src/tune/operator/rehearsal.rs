//! The measurements of the candidates of an operator on a device.

use std::time::{Duration, Instant};

use super::small::SmallCall;
use super::{Contents, Workload, trial};
use crate::device::Device;
use crate::error::Error;
use crate::ops::choices::session::{Trial, observe};
use crate::ops::{Decision, Reason};
use crate::submit::{Recording, Submission};
use crate::tune::background::Pauses;
use crate::tune::tuner::compare::difference;
use crate::tune::{Dropped, Goal, Judge, Progress, TuneError, goal};

/// The least limit on the first run of a candidate, which includes work that drivers postpone until then.
const GRACE: Duration = Duration::from_secs(1);

/// The least time of all submissions of a round together, and their greatest number.
const ROUND: Duration = Duration::from_millis(2);
const SUBMISSIONS: u32 = 64;

/// The number of times that a round is repeated because the program used the device during it.
const ATTEMPTS: u32 = 5;

/// The error that floats may have, as [`Tuner::verify`](crate::tune::Tuner::verify): sums of thousands of addends, in
/// another order.
const TOLERANCE: f64 = 1e-4;

pub(super) struct Rehearsal<'t, 'a, W> {
    device: &'t Device,
    workload: &'t mut W,
    /// The candidates of operators that were tuned before, within the same call.
    trials: &'t [Trial],
    decision: &'t Decision,
    tolerance: Option<f64>,
    pub(super) goal: Goal,
    /// The same call at a small size, on `cpu:checked`.
    pub(super) small: Option<SmallCall>,
    pub(super) progress: Option<&'t mut (dyn FnMut(Progress) + 'a)>,
    /// The program whose pauses are used.
    pub(super) pauses: Option<&'t Pauses>,
    /// The default's results with the caller's contents, and with all bits set; `None` if the call does not end with
    /// these.
    expected: Vec<Contents>,
    poisoned: Option<Vec<Contents>>,
    /// Whether the call never reads its results, so that it can run again without a reset.
    repeats: bool,
    /// The results of the first candidate that ran at a small size.
    small_expected: Option<Vec<Contents>>,
    /// The default's time in its second run.
    first: Duration,
    begun: usize,
    /// The candidate with the shortest time so far.
    leader: Option<(usize, Duration)>,
    started: Instant,
    error: Option<Error>,
}

impl<'t, 'a, W: Workload> Rehearsal<'t, 'a, W> {
    pub(super) fn new(
        device: &'t Device,
        workload: &'t mut W,
        trials: &'t [Trial],
        decision: &'t Decision,
        tolerance: Option<f64>,
    ) -> Self {
        Self {
            device,
            workload,
            trials,
            decision,
            tolerance,
            goal: Goal::Time,
            small: None,
            progress: None,
            pauses: None,
            expected: Vec::new(),
            poisoned: None,
            small_expected: None,
            repeats: false,
            first: Duration::ZERO,
            begun: 0,
            leader: None,
            started: Instant::now(),
            error: None,
        }
    }

    /// The error of the library because of which the default was dropped.
    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Records the call with a candidate. The recording is not kept: those of many candidates, each with its scratch
    /// memory, may exceed the memory of the device.
    fn record(&mut self, candidate: usize) -> Result<Recording, Failure> {
        let name = &self.decision.candidates[candidate];
        let mut trials = self.trials.to_vec();
        trials.push(trial(self.decision, name));
        let (recorded, decisions) = observe(&trials, || self.workload.record());
        let recording = recorded?;
        let is_same = |of: &&Decision| of.operator == self.decision.operator && of.sizes == self.decision.sizes;
        match decisions.iter().find(is_same) {
            Some(taken) if taken.chosen == *name && taken.reason == Reason::Tried => Ok(recording),
            _ => Err(Failure::Dropped(Dropped::Failed("the operator does not take it for this call".to_owned()))),
        }
    }

    fn examine(&mut self, candidate: usize) -> Result<(), Failure> {
        if let Some(small) = &mut self.small {
            let expected = small.check(&self.decision.operator, &self.decision.candidates[candidate])?;
            let expected = expected.map_err(|finding| Failure::Dropped(Dropped::Wrong(finding)))?;
            match (expected, self.small_expected.take()) {
                (Some(results), Some(wanted)) => {
                    let agree = self.compare(&results, &wanted);
                    self.small_expected = Some(wanted);
                    agree?;
                }
                (results, wanted) => self.small_expected = wanted.or(results),
            }
        }
        if candidate == 0 {
            return self.prepare();
        }
        let recording = self.record(candidate)?;
        let limit = self.first.saturating_mul(20).max(GRACE);
        if self.poisoned.is_some() {
            let results = self.results(&recording, true, limit)?;
            self.poisoned.as_ref().map_or(Ok(()), |expected| self.compare(&results, expected))?;
        }
        let results = self.results(&recording, false, limit)?;
        self.compare(&results, &self.expected)
    }

    /// Runs the default, whose results are the expected ones.
    fn prepare(&mut self) -> Result<(), Failure> {
        let recording = self.record(0)?;
        self.expected = self.results(&recording, false, Duration::MAX)?;
        self.workload.reset(false)?;
        self.device.synchronize()?;
        let start = Instant::now();
        recording.submit()?.wait()?;
        self.first = start.elapsed();
        let again = self.workload.results()?;
        self.compare(&again, &self.expected).map_err(|failure| match failure {
            Failure::Dropped(Dropped::Wrong(difference)) => Failure::Dropped(Dropped::Wrong(format!(
                "its results differ from run to run, so that no others can be compared with them: {difference}"
            ))),
            other => other,
        })?;
        // An operator that reads what it writes may not end with such contents.
        let limit = self.first.saturating_mul(20).max(GRACE);
        self.poisoned = self.results(&recording, true, limit).ok();
        self.repeats = self.poisoned.as_ref() == Some(&self.expected);
        Ok(())
    }

    fn results(&mut self, recording: &Recording, poisoned: bool, limit: Duration) -> Result<Vec<Contents>, Failure> {
        self.workload.reset(poisoned)?;
        self.device.synchronize()?;
        ended(&recording.submit()?, limit)?;
        Ok(self.workload.results()?)
    }

    fn compare(&self, got: &[Contents], expected: &[Contents]) -> Result<(), Failure> {
        let wrong = |message| Err(Failure::Dropped(Dropped::Wrong(message)));
        if got.len() != expected.len() {
            return wrong(format!("expected {} results, got {}", expected.len(), got.len()));
        }
        for (got, expected) in got.iter().zip(expected) {
            if got.bytes.len() != expected.bytes.len() {
                let (name, expected, got) = (&got.name, expected.bytes.len(), got.bytes.len());
                return wrong(format!("{name}: expected {expected} bytes, got {got}"));
            }
            let narrow = expected.element.uniform_scalar().is_some_and(|scalar| scalar.width == 2);
            let tolerance = self.tolerance.or((!narrow).then_some(TOLERANCE));
            if let Some(message) = difference(&got.name, &expected.layout(), &got.bytes, &expected.bytes, tolerance) {
                return wrong(message);
            }
        }
        Ok(())
    }

    /// The time of a run: the mean of several submissions, which follow each other as in a program, if the call can run
    /// again on its own results.
    fn round(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Failure> {
        let recording = self.record(candidate)?;
        let count = if self.repeats {
            u32::try_from(ROUND.as_nanos() / self.first.as_nanos().max(1)).unwrap_or(u32::MAX).clamp(1, SUBMISSIONS)
        } else {
            1
        };
        // The first submission includes work for a new recording.
        self.workload.reset(false)?;
        ended(&recording.submit()?, if self.goal == Goal::Time { limit } else { Duration::MAX })?;
        if self.goal == Goal::Energy {
            let energy = goal::energy(self.device, || {
                if !self.repeats {
                    self.workload.reset(false)?;
                }
                ended(&submitted(&recording, count)?, Duration::MAX)?;
                Ok::<_, Failure>(count)
            })?;
            return if energy <= limit { Ok(energy) } else { Err(Failure::Dropped(Dropped::wasteful(energy, limit))) };
        }
        self.workload.reset(false)?;
        self.device.synchronize()?;
        let start = Instant::now();
        ended(&submitted(&recording, count)?, limit.saturating_mul(count))?;
        Ok(start.elapsed() / count)
    }

    /// The time of a round in a pause of the program, if there is one.
    fn quiet_round(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Failure> {
        let Some(pauses) = self.pauses else { return self.round(candidate, limit) };
        let mut disturbed = None;
        for _ in 0..ATTEMPTS {
            let since = pauses.wait().ok_or_else(stopped)?;
            let outcome = self.round(candidate, limit);
            if pauses.is_since(since) {
                return outcome;
            }
            disturbed = Some(outcome);
        }
        disturbed.unwrap_or_else(|| Err(stopped()))
    }

    fn dropped(&mut self, candidate: usize, failure: Failure) -> Dropped {
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

impl<W: Workload> Judge for Rehearsal<'_, '_, W> {
    fn check(&mut self, candidate: usize) -> Result<(), Dropped> {
        self.begun += 1;
        let (begun, candidates, elapsed) = (self.begun, self.decision.candidates.len(), self.elapsed());
        if let Some(progress) = &mut self.progress {
            let leader = self.leader.map(|(leader, time)| (self.decision.candidates[leader].clone(), time));
            progress(Progress { begun, candidates, elapsed, leader });
        }
        if self.pauses.is_some_and(|pauses| pauses.wait().is_none()) {
            return Err(self.dropped(candidate, stopped()));
        }
        let errors = self.device.findings().errors().count();
        self.examine(candidate).map_err(|failure| self.dropped(candidate, failure))?;
        match self.device.findings().errors().nth(errors) {
            Some(finding) if candidate != 0 => Err(Dropped::Wrong(format!("a finding: {finding}"))),
            _ => Ok(()),
        }
    }

    fn time(&mut self, candidate: usize, limit: Duration) -> Result<Duration, Dropped> {
        let time = self.quiet_round(candidate, limit).map_err(|failure| self.dropped(candidate, failure))?;
        if self.goal == Goal::Time {
            self.leader = self.leader.filter(|(_, least)| *least <= time).or(Some((candidate, time)));
        }
        Ok(time)
    }

    fn elapsed(&self) -> Duration {
        let waited = self.pauses.map_or(Duration::ZERO, Pauses::waited);
        self.started.elapsed().saturating_sub(waited)
    }
}

/// Submits a recording so many times, at least once; returns the last submission.
fn submitted(recording: &Recording, count: u32) -> Result<Submission, Error> {
    let mut last = recording.submit()?;
    for _ in 1..count {
        last = recording.submit()?;
    }
    Ok(last)
}

/// Waits for a submission; an error if it takes longer than the limit and a grace period. It is waited for nevertheless,
/// as its memory is used again; the library stops loops without an end.
fn ended(submission: &Submission, limit: Duration) -> Result<(), Failure> {
    if limit == Duration::MAX {
        return Ok(submission.wait()?);
    }
    if submission.wait_timeout(limit.saturating_add(GRACE))? {
        return Ok(());
    }
    submission.wait()?;
    Err(Failure::Dropped(Dropped::Slow(limit)))
}

/// The failure of a search that the program ends.
fn stopped() -> Failure {
    Failure::Library(TuneError::Stopped.into())
}

/// The reason why a run or a comparison has no result.
enum Failure {
    Dropped(Dropped),
    Library(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(error.into())
    }
}
