//! The factors of results.

/// The factor of a Fourier transform's results, named as in `SciPy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FftNorm {
    /// `1` for transforms, `1 / n` for inverse ones.
    #[default]
    Backward,
    /// `1 / sqrt(n)` for both.
    Ortho,
    /// `1 / n` for transforms, `1` for inverse ones.
    Forward,
}

impl FftNorm {
    /// The factor for transforms along axes of a shape, along all axes if none are given.
    pub(super) fn scale(self, shape: &[usize], axes: Option<&[usize]>, inverse: bool) -> f64 {
        let length: f64 = match axes {
            Some(axes) => axes.iter().map(|axis| shape[*axis] as f64).product(),
            None => shape.iter().map(|size| *size as f64).product(),
        };
        match (self, inverse) {
            (Self::Backward, false) | (Self::Forward, true) => 1.0,
            (Self::Backward, true) | (Self::Forward, false) => 1.0 / length,
            (Self::Ortho, _) => 1.0 / length.sqrt(),
        }
    }
}
