//! The question of a pooling: which of its kernels is the fastest.

use super::super::choices::Question;
use super::super::rows::launch::target;
use super::plan::{Choice, Shape};
use crate::device::Device;

impl Choice {
    /// The choice for a device: see [`Question::decide`].
    pub(super) fn of(shape: Shape, device: &Device) -> Self {
        let [depth, height, width] = shape.output;
        let question = Question::new("pool", &[shape.planes, depth, height, width]);
        let question = question.form(if shape.halves { "f16" } else { "f32" });
        let all = || if shape.halves { vec![Self::Elements] } else { vec![Self::Elements, Self::Rows] };
        question.decide(device, Self::default_for(shape, target(device)), all, |_| true)
    }
}
