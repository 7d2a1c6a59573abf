//! The properties of a product on which the choice between kernels depends.

use anywarp_backend::Precision;

use super::super::choices::Question;
use super::plan::{Epilogue, Shape};

impl Shape {
    pub(super) fn question(&self) -> Question {
        let sizes = self.sizes;
        let precision = match self.precision {
            Precision::F32 => "f32",
            Precision::Tf32 => "tf32",
            Precision::F16 => "f16",
            Precision::Bf16 => "bf16",
            _ => "other",
        };
        let [a, b] = self.form.transposed;
        Question::new("matmul", &[sizes.m, sizes.k, sizes.n, self.form.batches].map(u64::from))
            .form(precision)
            .form_if(self.storage.is_wide, "wide")
            .form_if(a, "transpose_a")
            .form_if(b, "transpose_b")
            .form_if(self.aligned && self.lines().iter().all(|line| line.is_multiple_of(4)), "aligned")
            .form_if(!self.is_dense(), "strided")
            .form_if(self.form.beta.get() != 0.0, "beta")
            .form_if(self.epilogue != Epilogue::NONE, "epilogue")
    }
}
