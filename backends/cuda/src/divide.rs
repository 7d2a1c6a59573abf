//! A plan, handed over in parts, to several lanes.

use std::sync::{Arc, MutexGuard};

use anywarp_backend::BackendError;
use smallvec::SmallVec;

use crate::flight::Flight;
use crate::lane::{Point, Points};
use crate::parts::Part;
use crate::plan::Plan;
use crate::queue::{Line, Queue};
use crate::settle::Held;
use crate::submit::{Enqueued, cancel};
use anywarp_host::Failure;

/// All parts of a submission.
type Handed = (Arc<Flight>, SmallVec<[(Point, Part, Enqueued); 1]>);

impl Queue {
    /// As [`submit`](Self::submit), whatever the plan and the lane.
    pub(crate) fn submit_parts(
        self: &Arc<Self>,
        mut line: MutexGuard<'_, Line>,
        mut plan: Box<Plan>,
        steps: u32,
        lane: usize,
    ) -> Result<Arc<Flight>, BackendError> {
        let (flight, parts) = match self.hand_over(&mut line, &mut plan, lane) {
            Ok(handed) => handed,
            Err(error) => {
                drop(line);
                self.give_back(plan);
                return Err(error);
            }
        };
        let plain = !plan.timed && parts.iter().all(|(_, _, enqueued)| enqueued.is_plain());
        if plain && self.tells_nothing(&line) {
            drop(line);
            self.give_back(plan);
        } else {
            let plan: Arc<Plan> = Arc::from(plan);
            for (point, part, enqueued) in parts {
                let held = Held::Part(Arc::clone(&plan));
                line.pending.push_back(enqueued.pending(point, &flight, held, part.steps, steps));
            }
        }
        Ok(flight)
    }

    fn hand_over(self: &Arc<Self>, line: &mut Line, plan: &mut Plan, lane: usize) -> Result<Handed, BackendError> {
        let parts = self.parts(line, plan, lane)?;
        let points = self.begin(line, plan, &parts)?;
        let flight = Flight::new(self, points);
        let (mut handed, mut failed) = (SmallVec::new(), None);
        for (part, point) in parts.into_iter().zip(&flight.points) {
            let enqueued = match failed.clone() {
                None => self.enqueue(line, plan, part.lane, part.steps.clone()),
                Some(failure) => Ok(Enqueued::nothing(failure)),
            };
            let enqueued = match enqueued {
                Ok(enqueued) => enqueued,
                Err(error) if error.is_lost() || handed.is_empty() => {
                    cancel(plan, &flight.points);
                    return Err(error);
                }
                // The parts before it run.
                Err(error) => Enqueued::nothing(Failure::new(error)),
            };
            failed.clone_from(&enqueued.failed);
            self.come_before(line, *point, plan, &part.steps, &flight);
            if part.work {
                line.courses[part.lane].worked = point.sequence;
            }
            handed.push((*point, part, enqueued));
        }
        Ok((flight, handed))
    }

    /// Has the plan's memories wait for the next submissions, one for each part.
    fn begin(&self, line: &mut Line, plan: &Plan, parts: &[Part]) -> Result<Points, BackendError> {
        for part in parts {
            self.open(line, part.lane)?;
            self.before_submission(line, part.lane)?;
        }
        if parts.iter().any(|part| part.lane != 0) {
            self.begin_period(line);
        }
        let first = self.context.submitted() + 1;
        let point = |(part, sequence): (&Part, u64)| Point { lane: part.lane, sequence };
        let points: Points = parts.iter().zip(first..).map(point).collect();
        let begun = points.iter().zip(parts).try_for_each(|(point, part)| {
            let touches = plan.footprint(part.steps.clone());
            plan.uses(&touches).try_for_each(|(memory, _)| memory.begin_use(*point))
        });
        begun.inspect_err(|_| cancel(plan, &points))?;
        self.context.remember(first, plan.labels());
        Ok(points)
    }
}
