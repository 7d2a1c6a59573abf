//! The jobs of an epoch that are begun, done and delivered. The module is pure: it depends neither on threads nor on
//! batches.

use std::collections::VecDeque;

enum Slot<R> {
    Free,
    Running,
    Done(R),
}

/// The jobs of an epoch from the first undelivered one on, of which at most `size` may be begun. So `size` also limits
/// the number of existing results.
pub(super) struct Window<R> {
    first: u64,
    /// The states of the jobs from `first` on; jobs after the last of these states have not been begun.
    slots: VecDeque<Slot<R>>,
    size: usize,
}

/// The state of the first job that is not delivered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// The job has not been begun.
    Free,
    Running,
    Done,
}

impl<R> Window<R> {
    /// A window for an epoch without begun jobs; `size` is at least 1.
    pub(super) fn new(size: usize) -> Self {
        Self { first: 0, slots: VecDeque::new(), size: size.max(1) }
    }

    /// The next job to deliver.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Whether a delivery is necessary before more jobs can be begun.
    pub(super) fn is_full(&self) -> bool {
        self.slots.len() >= self.size && !self.slots.iter().any(|slot| matches!(slot, Slot::Free))
    }

    /// Begins the first job that may be begun, and returns its number. Jobs with the same number modulo `lanes` run in
    /// order, one at a time.
    pub(super) fn begin(&mut self, lanes: Option<u64>, is_over: impl Fn(u64) -> bool) -> Option<u64> {
        let at = match lanes {
            // Without lanes, jobs are begun in order.
            None => Some(self.slots.len()).filter(|at| *at < self.size)?,
            Some(lanes) => {
                let limit = lanes.saturating_add(self.slots.len() as u64).min(self.size as u64) as usize;
                (0..limit).find(|at| self.can_begin(*at, lanes))?
            }
        };
        let job = self.first + at as u64;
        if is_over(job) {
            return None;
        }
        while self.slots.len() <= at {
            self.slots.push_back(Slot::Free);
        }
        self.slots[at] = Slot::Running;
        Some(job)
    }

    fn can_begin(&self, at: usize, lanes: u64) -> bool {
        if !matches!(self.slots.get(at), None | Some(Slot::Free)) {
            return false;
        }
        let lane = |at: usize| (self.first + at as u64) % lanes;
        let mut before = self.slots.iter().enumerate().take(at);
        !before.any(|(other, slot)| lane(other) == lane(at) && !matches!(slot, Slot::Done(_)))
    }

    /// Stores the outcome of a job until it is delivered; returns whether it is the next one to deliver.
    pub(super) fn end(&mut self, job: u64, result: R) -> bool {
        let at = job.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(slot) = at.and_then(|at| self.slots.get_mut(at)) {
            *slot = Slot::Done(result);
        }
        at == Some(0)
    }

    /// Skips the first job, which will never be begun, if a later job was begun; returns whether the first job was
    /// skipped.
    pub(super) fn skip(&mut self) -> bool {
        let follows = self.slots.iter().any(|slot| !matches!(slot, Slot::Free));
        let skipped = follows && self.slots.pop_front_if(|slot| matches!(slot, Slot::Free)).is_some();
        self.first += u64::from(skipped);
        skipped
    }

    pub(super) fn front(&self) -> Front {
        match self.slots.front() {
            None | Some(Slot::Free) => Front::Free,
            Some(Slot::Running) => Front::Running,
            Some(Slot::Done(_)) => Front::Done,
        }
    }

    /// Delivers the result of the first job, if that job has ended.
    pub(super) fn deliver(&mut self) -> Option<R> {
        let slot = self.slots.pop_front_if(|slot| matches!(slot, Slot::Done(_)))?;
        self.first += 1;
        match slot {
            Slot::Done(result) => Some(result),
            Slot::Free | Slot::Running => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs an epoch in which `choices` determine the next action: 0 delivers, other values begin a job, or end a job
    /// that was begun.
    fn run(jobs: u64, size: usize, lanes: Option<u64>, choices: &[u8]) -> (Vec<u64>, usize) {
        let mut window = Window::new(size);
        let (mut delivered, mut most) = (Vec::new(), 0);
        let mut running: Vec<u64> = Vec::new();
        for choice in choices.iter().cycle() {
            match choice {
                0 => delivered.extend(window.deliver()),
                1 => running.extend(window.begin(lanes, |job| job >= jobs)),
                _ if !running.is_empty() => {
                    let job = running.swap_remove(usize::from(*choice) % running.len());
                    window.end(job, job);
                }
                _ => {}
            }
            let exist = window.slots.iter().filter(|slot| !matches!(slot, Slot::Free)).count();
            most = most.max(exist);
            if let Some(lanes) = lanes {
                let mut taken: Vec<u64> = running.iter().map(|job| job % lanes).collect();
                taken.sort_unstable();
                taken.dedup();
                assert_eq!(taken.len(), running.len(), "two jobs of one lane run");
            }
            if window.first() == jobs {
                return (delivered, most);
            }
        }
        unreachable!("the choices are repeated for ever")
    }

    proptest! {
        #[test]
        fn every_job_is_delivered_once_and_in_order(
            jobs in 1u64..40,
            size in 1usize..8,
            lanes in proptest::option::of(1u64..6),
            mut choices in proptest::collection::vec(0u8..6, 1..50),
        ) {
            choices.extend([0, 1, 2]);
            let (delivered, most) = run(jobs, size, lanes, &choices);
            prop_assert!(delivered.into_iter().eq(0..jobs));
            prop_assert!(most <= size, "{} jobs at a time, {} allowed", most, size);
        }
    }

    #[test]
    fn jobs_begun_before_the_end_are_delivered() {
        let mut window = Window::new(10);
        let begun: Vec<_> = (0..2).map(|_| window.begin(Some(2), |_| false)).collect();
        assert_eq!(begun, [Some(0), Some(1)]);
        window.end(1, 'b');
        assert_eq!(window.begin(Some(2), |_| false), Some(3), "2 has to wait for 0");
        window.end(0, 'a');
        assert_eq!((window.deliver(), window.deliver()), (Some('a'), Some('b')));
        // Job 3 is now the last one, so job 2 is never begun.
        assert_eq!((window.begin(Some(2), |_| true), window.front()), (None, Front::Free));
        assert!(!window.end(3, 'd'));
        assert!(window.skip() && window.front() == Front::Done);
        assert!(!window.skip());
        assert_eq!(window.deliver(), Some('d'));
        assert!(!window.skip() && window.front() == Front::Free);
    }

    #[test]
    fn a_busy_lane_does_not_block_others() {
        let mut window = Window::<()>::new(10);
        let begun: Vec<_> = (0..4).map(|_| window.begin(Some(3), |_| false)).collect();
        assert_eq!(begun, [Some(0), Some(1), Some(2), None]);
        window.end(1, ());
        assert_eq!(window.begin(Some(3), |_| false), Some(4));
        assert_eq!(window.front(), Front::Running);
    }
}
