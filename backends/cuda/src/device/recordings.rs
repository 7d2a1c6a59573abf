//! Conversion of recordings to plans or graphs, before they are submitted to the queue.

use std::sync::{Arc, PoisonError};

use anywarp_backend::{BackendError, Recording, Region};

use super::CudaDevice;
use crate::graph::Graph;
use crate::graph::entry::{Action, Entry};
use crate::record::plan::{Known, Plan, PlanError};
use crate::resident::{self, Resident};
use crate::streams::state::stream_of;
use crate::submit::submission::Submission;

impl CudaDevice {
    /// Plans a recording, and compiles all forms of kernels that it needs.
    fn plan(&self, recording: &Recording, plan: &mut Plan) -> Result<(), BackendError> {
        loop {
            let made = {
                let memories = self.memories.read().unwrap_or_else(PoisonError::into_inner);
                let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
                let known = Known {
                    memories: &memories,
                    kernels: &kernels,
                    caps: &self.caps,
                    multiprocessors: self.card.multiprocessors,
                };
                plan.make(&known, recording)
            };
            match made {
                Ok(()) => return Ok(()),
                Err(PlanError::Error(error)) => return Err(error),
                Err(PlanError::Missing(kernel, form)) => {
                    plan.clear();
                    kernel.keep(form, self.compiler.make(&kernel.program, form)?.loaded);
                }
            }
        }
    }

    fn submit_plain(&self, recording: &Recording) -> Result<Arc<Submission>, BackendError> {
        let mut plan = self.queue.plan();
        if let Err(error) = self.plan(recording, &mut plan) {
            self.queue.give_back(plan);
            return Err(error);
        }
        self.queue.submit(plan, self.compiler.loop_limit, stream_of(recording.stream))
    }

    /// Submits a kept recording: as commands, or as a graph.
    fn submit_kept(
        &self,
        recording: &Recording,
        entry: &mut Entry,
        version: u64,
    ) -> Result<Arc<Submission>, BackendError> {
        let stream = stream_of(recording.stream);
        let former = match entry.next(version, stream) {
            Action::Commands => return self.submit_plain(recording),
            Action::Launch(graph) => return self.queue.submit_graph(&graph, self.compiler.loop_limit, stream),
            Action::Capture(former) => former,
        };
        let mut plan = Plan::default();
        self.plan(recording, &mut plan)?;
        match Graph::capture(&self.queue, plan, former, stream) {
            Ok(graph) => {
                entry.keep(&graph);
                self.queue.submit_graph(&graph, self.compiler.loop_limit, stream)
            }
            Err(error) if error.is_lost() => Err(error),
            Err(error) => {
                entry.refuse(&error);
                self.submit_plain(recording)
            }
        }
    }

    /// Starts a resident dispatch.
    pub(super) fn start_resident(&self, recording: &Recording, control: Region) -> Result<Arc<Resident>, BackendError> {
        let _current = self.queue.context.enter()?;
        let mut plan = self.queue.plan();
        if let Err(error) = self.plan(recording, &mut plan) {
            self.queue.give_back(plan);
            return Err(error);
        }
        let words = self.memory(control.memory)?.host()?;
        resident::start(&self.queue, plan, words, (control.offset / 4) as usize, self.compiler.loop_limit)
    }

    /// Submits a recording.
    pub(super) fn submit_recording(&self, recording: &Recording) -> Result<Arc<Submission>, BackendError> {
        let _current = self.queue.context.enter()?;
        let kept = recording.slot().filter(|_| !recording.timed && recording.commands().len() > 1);
        let Some((slot, version)) = kept else { return self.submit_plain(recording) };
        let mut content = slot.lock();
        let entry = content.as_mut().and_then(|content| content.downcast_mut::<Entry>());
        if let Some(entry) = entry.filter(|entry| entry.is_for(&self.queue)) {
            return self.submit_kept(recording, entry, version);
        }
        let mut entry = Entry::new(&self.queue);
        let submission = self.submit_kept(recording, &mut entry, version)?;
        *content = Some(Box::new(entry));
        Ok(submission)
    }
}
