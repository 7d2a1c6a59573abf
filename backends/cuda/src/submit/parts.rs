//! Submits a plan as several submissions, to several streams.

use std::sync::{Arc, MutexGuard};

use anywarp_backend::BackendError;
use anywarp_host::Failure;
use smallvec::SmallVec;

use crate::record::parts::Part;
use crate::record::plan::Plan;
use crate::streams::state::{Point, Points};
use crate::submit::complete::HeldPlan;
use crate::submit::queue::{Queue, QueueState};
use crate::submit::submission::Submission;
use crate::submit::{Enqueued, cancel};

/// A submission with its parts: the point of each part, its steps, and its enqueued work.
type Submitted = (Arc<Submission>, SmallVec<[(Point, Part, Enqueued); 1]>);

impl Queue {
    /// Submits a plan as [`submit`](Self::submit) does, but also to streams other than the first, or in several parts.
    pub(crate) fn submit_parts(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, QueueState>,
        mut plan: Box<Plan>,
        loop_limit: u32,
        stream: usize,
    ) -> Result<Arc<Submission>, BackendError> {
        let (submission, parts) = match self.submit_all(&mut state, &mut plan, stream) {
            Ok(submitted) => submitted,
            Err(error) => {
                drop(state);
                self.give_back(plan);
                return Err(error);
            }
        };
        let plain = !plan.timed && parts.iter().all(|(_, _, enqueued)| enqueued.is_plain());
        if plain && self.has_nothing_to_report(&state) {
            drop(state);
            self.give_back(plan);
        } else {
            let plan: Arc<Plan> = Arc::from(plan);
            for (point, part, enqueued) in parts {
                let held = HeldPlan::Part(Arc::clone(&plan));
                state.pending.push_back(enqueued.pending(point, &submission, held, part.steps, loop_limit));
            }
        }
        Ok(submission)
    }

    fn submit_all(
        self: &Arc<Self>,
        state: &mut QueueState,
        plan: &mut Plan,
        stream: usize,
    ) -> Result<Submitted, BackendError> {
        let parts = self.parts(state, plan, stream)?;
        let points = self.begin(state, plan, &parts)?;
        let submission = Submission::new(self, points);
        let (mut submitted, mut failed) = (SmallVec::new(), None);
        for (part, point) in parts.into_iter().zip(&submission.points) {
            let enqueued = match failed.clone() {
                None => self.enqueue(state, plan, part.stream, part.steps.clone()),
                Some(failure) => Ok(Enqueued::nothing(failure)),
            };
            let enqueued = match enqueued {
                Ok(enqueued) => enqueued,
                Err(error) if error.is_lost() || submitted.is_empty() => {
                    cancel(plan, &submission.points);
                    return Err(error);
                }
                // The earlier parts were enqueued and will run, so the submission exists, with a failure.
                Err(error) => Enqueued::nothing(Failure::new(error)),
            };
            failed.clone_from(&enqueued.failed);
            self.count_with_uses(state, *point, plan, &part.steps, &submission);
            if part.work {
                state.progress[part.stream].worked = point.sequence;
            }
            submitted.push((*point, part, enqueued));
        }
        Ok((submission, submitted))
    }

    /// Records in the plan's memories that the next submissions, one for each part, use them.
    fn begin(&self, state: &mut QueueState, plan: &Plan, parts: &[Part]) -> Result<Points, BackendError> {
        for part in parts {
            self.stream(part.stream)?;
            self.before_submission(state, part.stream)?;
        }
        if parts.iter().any(|part| part.stream != 0) {
            self.begin_period(state);
        }
        let first = self.context.submissions.submitted() + 1;
        let point = |(part, sequence): (&Part, u64)| Point { stream: part.stream, sequence };
        let points: Points = parts.iter().zip(first..).map(point).collect();
        let begun = points.iter().zip(parts).try_for_each(|(point, part)| {
            let touches = plan.footprint(part.steps.clone());
            plan.uses(&touches).try_for_each(|(memory, _)| memory.begin_use(*point))
        });
        begun.inspect_err(|_| cancel(plan, &points))?;
        self.context.submissions.remember(first, plan.labels());
        Ok(points)
    }
}
