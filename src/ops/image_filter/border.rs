//! Elements outside an image.

/// The values of elements outside an image, by `SciPy`'s names. The examples show them around a row `a b c d`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Border {
    /// `d c b a | a b c d | d c b a`.
    #[default]
    Reflect,
    /// `d c b | a b c d | c b a`.
    Mirror,
    /// `a a a | a b c d | d d d`.
    Nearest,
    /// `b c d | a b c d | a b c`.
    Wrap,
    /// This value.
    Constant(f32),
}

impl Border {
    /// The constant of `shaders/shared/border.wgsl` for this border, and the value of elements outside the image if it
    /// is constant.
    pub(super) fn number(self) -> (u32, f32) {
        match self {
            Self::Reflect => (0, 0.0),
            Self::Mirror => (1, 0.0),
            Self::Nearest => (2, 0.0),
            Self::Wrap => (3, 0.0),
            Self::Constant(value) => (4, value),
        }
    }
}
