//! The state of a search: which candidates were tried, their times, and when to stop.

use std::time::Duration;

use super::random::Random;
use super::{CLOSE, Dropped, Judge, Search, Trial};

/// The share of the budget in which new candidates are begun. The rest is for the repeated measurements of the best.
const OPENING: f64 = 0.6;

/// The share of the budget in which candidates are compared. The rest is for a second look at the winner.
const COMPARISON: f64 = 0.85;

/// The greatest number of rounds of the second look.
const SECOND_LOOK: u32 = 11;

/// The number of rounds from which a median is trusted.
const TRUSTED: usize = 3;

/// The ratio to the leader's time beyond which a candidate is not measured again.
const BEHIND: f64 = 1.25;

/// The ratio to the least possible time within which a candidate ends the search.
const NEAR: f64 = 1.05;

/// The shortest limit on a round, because very short times vary by large factors.
const SHORTEST: Duration = Duration::from_millis(1);

/// The reason why a strategy cannot go on.
pub(super) enum Halt {
    Budget,
    Bound,
    Default(Dropped),
}

pub(super) struct Arena<'a, J> {
    search: &'a Search,
    judge: &'a mut J,
    trials: Vec<Trial>,
    random: Random,
    /// The candidates that can still win, and are measured in turn. The default is always one of them.
    running: Vec<usize>,
    /// Whether a candidate left the search after others had been compared with it. These may have been left out because
    /// of its times, and get another chance.
    rival_lost: bool,
    /// The candidate that ran last.
    last: Option<usize>,
    /// The time after which nothing more is measured.
    end: Duration,
}

impl<'a, J: Judge> Arena<'a, J> {
    pub(super) fn new(search: &'a Search, candidates: usize, judge: &'a mut J) -> Self {
        let trials = vec![Trial::default(); candidates];
        let end = scaled(search.budget, COMPARISON);
        Self {
            search,
            judge,
            trials,
            random: Random(search.seed),
            running: vec![0],
            rival_lost: false,
            last: None,
            end,
        }
    }

    /// The numbers of all candidates but the default, in random order.
    pub(super) fn others(&mut self) -> Vec<usize> {
        let mut others: Vec<usize> = (1..self.trials.len()).collect();
        self.random.shuffle(&mut others);
        others
    }

    /// Checks and measures candidates once, the default first. Candidates that are begun too late for the budget are
    /// left out.
    pub(super) fn open(&mut self, candidates: &[usize]) -> Result<(), Halt> {
        if self.trials[0].times.is_empty() {
            self.begin(0)?;
            self.measure(0)?;
        }
        for &candidate in candidates {
            if self.is_opened(candidate) {
                continue;
            }
            if !self.may_open() {
                return Ok(());
            }
            self.begin(candidate)?;
            self.measure(candidate)?;
            if self.is_alive(candidate) {
                self.running.push(candidate);
            }
        }
        Ok(())
    }

    /// Whether there is time for candidates that were not tried yet.
    pub(super) fn may_open(&self) -> bool {
        self.judge.elapsed() < scaled(self.search.budget, OPENING)
    }

    pub(super) fn is_opened(&self, candidate: usize) -> bool {
        !self.trials[candidate].times.is_empty() || self.trials[candidate].dropped.is_some()
    }

    fn is_alive(&self, candidate: usize) -> bool {
        self.trials[candidate].dropped.is_none()
    }

    /// The median of a candidate that can still win.
    fn median(&self, candidate: usize) -> Option<Duration> {
        self.trials[candidate].median().filter(|_| self.is_alive(candidate))
    }

    /// The lower quartile of a candidate that can still win. Candidates are left out by their quartiles rather than by
    /// their medians: other programs only ever make a round slower, and after few rounds that is often most of them.
    pub(super) fn quartile(&self, candidate: usize) -> Option<Duration> {
        self.trials[candidate].quantile(4).filter(|_| self.is_alive(candidate))
    }

    /// The number of candidates that can still win, the default included.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    /// Measures all running candidates `rounds` times. They are measured in turn, each time in another order, so that
    /// disturbances by other programs affect all of them alike.
    pub(super) fn rounds(&mut self, rounds: u32) -> Result<(), Halt> {
        for _ in 0..rounds {
            let mut order = self.running.clone();
            self.random.shuffle(&mut order);
            for candidate in order {
                self.measure(candidate)?;
            }
            self.forget_dropped();
            self.stop_near_the_bound()?;
        }
        Ok(())
    }

    /// Keeps the fastest `most` of the running candidates, and the default.
    pub(super) fn keep_fastest(&mut self, most: usize) {
        let mut running = std::mem::take(&mut self.running);
        running.sort_by_key(|candidate| (self.quartile(*candidate), *candidate));
        let mut place = 0;
        running.retain(|candidate| {
            place += 1;
            place <= most || *candidate == 0
        });
        self.running = running;
    }

    /// Makes the given candidates, and the default, the running ones.
    pub(super) fn run_only(&mut self, candidates: &[usize]) {
        self.running = vec![0];
        self.running.extend(candidates.iter().filter(|candidate| **candidate != 0));
        self.forget_dropped();
    }

    /// Measures the running candidates until the number of rounds of the search is reached, and leaves out those that
    /// are clearly behind.
    pub(super) fn finals(&mut self) -> Result<(), Halt> {
        let wanted = self.search.rounds as usize;
        loop {
            if std::mem::take(&mut self.rival_lost) {
                self.running = (0..self.trials.len()).filter(|at| self.is_opened(*at)).collect();
                self.forget_dropped();
                self.leave_behind();
            }
            if self.running.len() == 1 || self.running.iter().all(|at| self.trials[*at].times.len() >= wanted) {
                return Ok(());
            }
            self.rounds(1)?;
            self.leave_behind();
        }
    }

    /// Leaves out the candidates that are clearly slower than the fastest one.
    fn leave_behind(&mut self) {
        let least = self.contenders().filter_map(|candidate| self.quartile(candidate)).min();
        let limit = least.map(|least| scaled(least, BEHIND));
        let mut running = std::mem::take(&mut self.running);
        let behind = |at: usize| self.trials[at].times.len() >= TRUSTED && self.quartile(at) > limit;
        running.retain(|at| *at == 0 || !behind(*at));
        self.running = running;
    }

    /// The running candidates without those that had few rounds while others had many.
    fn contenders(&self) -> impl Iterator<Item = usize> {
        let most = self.running.iter().map(|at| self.trials[*at].times.len()).max().unwrap_or(0);
        self.running.iter().copied().filter(move |at| self.trials[*at].times.len() >= most.min(TRUSTED))
    }

    /// The fastest candidate; the default if its time is about the same.
    pub(super) fn winner(&self) -> usize {
        let timed = self.contenders().filter_map(|at| Some((self.median(at)?, at)));
        let Some((least, fastest)) = timed.min() else { return 0 };
        let default_is_close = self.trials[0].median().is_some_and(|median| median <= scaled(least, CLOSE));
        if default_is_close { 0 } else { fastest }
    }

    /// Measures the winner and the default again, in turn, and returns the default if the new times do not support the
    /// choice: the best of many medians is often a lucky one. Without time for three rounds, the choice stands.
    pub(super) fn confirmed(&mut self) -> Result<usize, Halt> {
        let winner = self.winner();
        self.end = self.search.budget;
        let earlier = [0, winner].map(|at| self.trials[at].times.len());
        for round in 0..if winner == 0 { 0 } else { self.search.rounds.clamp(TRUSTED as u32, SECOND_LOOK) } {
            for at in if round % 2 == 0 { [0, winner] } else { [winner, 0] } {
                match self.measure(at) {
                    Err(Halt::Budget) => break,
                    other => other?,
                }
            }
        }
        if !self.is_alive(winner) {
            self.forget_dropped();
            return Ok(self.winner());
        }
        let times = [(0, earlier[0]), (winner, earlier[1])].map(|(at, from)| &self.trials[at].times[from..]);
        let [default, chosen] = times.map(|times| Trial { times: times.to_vec(), dropped: None });
        let is_trusted = default.times.len().min(chosen.times.len()) >= TRUSTED;
        let is_close = default.median() <= chosen.median().map(|median| scaled(median, CLOSE));
        Ok(if is_trusted && is_close { 0 } else { winner })
    }

    pub(super) fn last(&self) -> Option<usize> {
        self.last
    }

    pub(super) fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    fn begin(&mut self, candidate: usize) -> Result<(), Halt> {
        if let Err(reason) = self.judge.check(candidate) {
            self.drop(candidate, reason)?;
        } else {
            self.last = Some(candidate);
        }
        Ok(())
    }

    fn measure(&mut self, candidate: usize) -> Result<(), Halt> {
        if !self.is_alive(candidate) {
            return Ok(());
        }
        // The default is measured once without any budget, so that there is always a result.
        if self.judge.elapsed() >= self.end && !self.trials[0].times.is_empty() {
            return Err(Halt::Budget);
        }
        let limit = match self.trials[0].median() {
            Some(default) if candidate != 0 => scaled(default, self.search.slowest).max(SHORTEST),
            _ => Duration::MAX,
        };
        match self.judge.time(candidate, limit) {
            Ok(time) if time <= limit => self.trials[candidate].times.push(time),
            Ok(_) => self.drop(candidate, Dropped::Slow(limit))?,
            Err(reason) => self.drop(candidate, reason)?,
        }
        self.last = Some(candidate);
        Ok(())
    }

    fn drop(&mut self, candidate: usize, reason: Dropped) -> Result<(), Halt> {
        if candidate == 0 {
            return Err(Halt::Default(reason));
        }
        self.rival_lost |= !self.trials[candidate].times.is_empty();
        self.trials[candidate].dropped = Some(reason);
        Ok(())
    }

    fn forget_dropped(&mut self) {
        let trials = &self.trials;
        self.running.retain(|candidate| trials[*candidate].dropped.is_none());
    }

    fn stop_near_the_bound(&self) -> Result<(), Halt> {
        let Some(bound) = self.search.bound else { return Ok(()) };
        let near = self.running.iter().any(|at| {
            let trial = &self.trials[*at];
            trial.times.len() >= TRUSTED && trial.median() <= Some(scaled(bound, NEAR))
        });
        if near { Err(Halt::Bound) } else { Ok(()) }
    }
}

/// A time multiplied by a factor, at most the longest time.
fn scaled(time: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}
