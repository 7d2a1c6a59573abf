//! The question of a selection: which of its kernels is the fastest.

use super::super::choices::Question;
use super::super::scanning::target::Target;
use super::plan::{Choice, Shape};
use crate::device::Device;

impl Choice {
    /// Returns the choice for a device: see [`Question::decide`].
    pub(super) fn of(shape: Shape, device: &Device) -> Self {
        let target = Target::of(device);
        shape.question().decide(
            device,
            Self::default_for(shape, target),
            || Self::all(shape, target),
            |choice| choice.is_possible(shape, target),
        )
    }
}

impl Shape {
    /// The properties on which the choice depends. Selected elements keep their order.
    pub(super) fn question(self) -> Question {
        Question::new("select", &[self.length, self.read]).form_if(self.changes, "changes").exact(true)
    }
}
