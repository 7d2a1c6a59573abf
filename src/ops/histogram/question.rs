//! The question of a histogram: which of its kernels is the fastest.

use super::super::choices::Question;
use super::plan::{Choice, Shape, Sum};
use crate::device::Device;

impl Choice {
    /// The choice for a device: see [`Question::decide`]. Counts do not depend on their order; sums of floats are sums of
    /// integers.
    pub(super) fn of(shape: Shape, cpu: bool, device: &Device) -> Self {
        let sum = match shape.sum {
            Sum::Counts => "counts",
            Sum::Integers => "integers",
            Sum::Floats => "floats",
        };
        let question = Question::new("histogram", &[shape.count, shape.counters]).form(sum);
        let question = question.form_if(shape.aligned, "aligned").exact(true);
        question.decide(device, Self::default_for(shape, cpu), || Self::all(shape, cpu), |_| true)
    }
}
