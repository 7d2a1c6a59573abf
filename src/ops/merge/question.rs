//! The question of a merge: which of its kernels is the fastest.

use super::super::choices::{Question, powers};
use super::super::ordering::arrays::is_processor;
use super::plan::{Choice, Shape};
use crate::device::Device;

impl Choice {
    /// The choice for a device: see [`Question::decide`]. A merge is stable, so that all give the same results.
    pub(super) fn of(shape: Shape, device: &Device) -> Self {
        let processor = is_processor(device);
        let all = || {
            let most = (shape.length / 64).clamp(1, if processor { 1024 } else { 1 << 16 });
            let pieces = powers(most).filter(|most| processor || *most >= 1024).map(|most| Self::Pieces { most });
            pieces.chain((!processor).then_some(Self::Tiles)).collect()
        };
        let question = Question::new("merge", &[shape.length, shape.key, shape.words]).exact(true);
        question.decide(device, Self::default_for(shape, processor), all, |_| true)
    }
}
