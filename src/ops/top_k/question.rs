//! The question of a selection: which of its kernels is the fastest.

use super::super::choices::Question;
use super::super::ordering::arrays::is_processor;
use super::super::ordering::rows::MAX_ROW;
use super::plan::{Choice, Shape};
use crate::device::Device;

impl Choice {
    /// Returns the choice for a device: see [`Question::decide`]. All give the same elements in the same order.
    pub(super) fn of(shape: Shape, device: &Device) -> Self {
        let processor = is_processor(device);
        let all = || {
            let rows = (shape.length <= MAX_ROW).then_some(Self::Rows);
            rows.into_iter().chain((shape.k <= MAX_ROW).then_some(Self::Select)).chain([Self::Sort]).collect()
        };
        let question = Question::new("top_k", &[shape.rows, shape.length, shape.k, shape.key_bits]).exact(true);
        question.decide(device, Self::default_for(shape, processor), all, |_| true)
    }
}
