//! The question of a sort: which of its kernels is the fastest.

use super::super::choices::{Question, powers};
use super::super::ordering::arrays::is_processor;
use super::plan::{Choice, RUN, Shape};
use crate::device::Device;

impl Choice {
    /// Returns the choice for a device: see [`Question::decide`]. A sort is stable, so that all give the same results.
    pub(super) fn of(shape: Shape, device: &Device) -> Self {
        let processor = is_processor(device);
        let all = || {
            let most = (shape.length / RUN).clamp(1, if processor { 4096 } else { 1 << 16 });
            let runs = powers(most).filter(|most| processor || *most >= 1024).map(|most| Self::Runs { most });
            runs.chain((!processor).then_some(Self::Tiles)).collect()
        };
        let question = Question::new("sort_by", &[shape.length, shape.element]).form_if(shape.in_place, "in_place");
        question.exact(true).decide(device, Self::default_for(shape, processor), all, |_| true)
    }
}
