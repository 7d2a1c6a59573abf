//! Footprints of a plan's steps: the bytes that the steps access, and whether they use the library's workspace.

use std::ops::Range;

use anywarp_backend::Access;
use smallvec::SmallVec;

use crate::memory::Memory;
use crate::record::plan::Plan;
use crate::record::step::{Launch, Step, Touch};

/// The ranges that a submission accesses.
pub(crate) type Footprints = SmallVec<[Touch; 8]>;

impl Plan {
    /// Returns the ranges that some of the steps access. A range that a recent step also accesses is not repeated.
    pub(crate) fn footprint(&self, steps: Range<usize>) -> Footprints {
        // Most steps access the same ranges as the steps just before them.
        const LOOK_BACK: usize = 8;
        let mut all = Footprints::new();
        let mut add = |touch: Touch| {
            let recent = all.len().saturating_sub(LOOK_BACK);
            let same = |other: &&mut Touch| {
                other.memory == touch.memory && other.access == touch.access && other.span.touches(touch.span)
            };
            match all[recent..].iter_mut().find(same) {
                Some(other) => other.span = other.span.hull(touch.span),
                None => all.push(touch),
            }
        };
        for step in &self.steps[steps] {
            match step {
                Step::Copy { source, target } => {
                    add(source.touch(Access::Read));
                    add(target.touch(Access::Write));
                }
                Step::Fill { target, .. } => add(target.touch(Access::Write)),
                Step::Launch(Launch { touches, .. }) | Step::Library { touches, .. } | Step::Foreign { touches } => {
                    self.touches[touches.clone()].iter().copied().for_each(&mut add);
                }
            }
        }
        all
    }

    /// Returns the memories of these touches, each with its touch.
    pub(crate) fn uses<'a>(&'a self, touches: &'a [Touch]) -> impl Iterator<Item = (&'a Memory, Touch)> {
        touches.iter().map(|touch| (&*self.memories[touch.memory], *touch))
    }

    /// Returns whether the steps use a library's workspace.
    pub(crate) fn has_library(&self, steps: &Range<usize>) -> bool {
        self.steps[steps.clone()].iter().any(|step| matches!(step, Step::Library { .. }))
    }

    /// Returns whether the steps launch kernels.
    pub(crate) fn has_launch(&self, steps: &Range<usize>) -> bool {
        self.steps[steps.clone()].iter().any(|step| matches!(step, Step::Launch(_)))
    }
}
