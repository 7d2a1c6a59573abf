//! The question of the sums of channels: which of its kernels is the fastest.

use super::super::choices::{Question, powers};
use super::super::rows::plan::Target;
use super::plan::{Choice, Form, Sizes};
use crate::device::Device;

impl Choice {
    /// The choice for a device: see [`Question::decide`].
    pub(crate) fn of(sizes: Sizes, halves: bool, device: &Device, target: Target) -> Self {
        let Sizes { examples, channels, inner } = sizes;
        let question = Question::new("channel_sums", &[examples, channels, inner]);
        let all = || {
            let forms = [Form::Groups, Form::Columns].into_iter();
            forms.flat_map(|form| powers(256).map(move |parts| Self { form, parts })).collect()
        };
        let question = question.form(if halves { "f16" } else { "f32" });
        question.decide(device, Self::default_for(sizes, target), all, |_| true)
    }
}
