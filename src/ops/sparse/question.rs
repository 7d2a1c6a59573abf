//! The question of a sparse product: which of its kernels is the fastest.

use super::super::choices::Question;
use super::super::rows::plan::Target;
use super::plan::{Choice, Shape};
use crate::device::Device;

impl Choice {
    /// The choice for a device: see [`Question::decide`].
    pub(super) fn of(shape: Shape, target: Target, device: &Device) -> Self {
        let Shape { rows, entries, longest, width, .. } = shape;
        let element = if shape.size == 8 {
            "f64"
        } else if shape.size == 2 {
            "f16"
        } else {
            "f32"
        };
        let question = Question::new("sparse_product", &[rows, entries, longest, width]).form(element);
        question.decide(device, Self::default_for(shape, target), || Self::all(target), |_| true)
    }
}
