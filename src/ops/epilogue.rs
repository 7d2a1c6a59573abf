//! Functions that operators apply to sums before they store the results.

/// A function that an operator applies to each sum before it stores the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// `max(x, 0)`; NaN stays NaN.
    Relu,
    /// `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 'Gaussian Error Linear Units', 2016), with an absolute
    /// error below 1e-6 for `|x|` of at most 4.
    Gelu,
    /// `x / (1 + exp(-x))` (Elfwing, Uchibe and Doya, 'Sigmoid-Weighted Linear Units', 2017).
    Silu,
}

impl Activation {
    /// The number of the activation in `shaders/shared/epilogue.wgsl`; 0 for no activation.
    pub(crate) fn number(activation: Option<Self>) -> u32 {
        match activation {
            None => 0,
            Some(Self::Relu) => 1,
            Some(Self::Gelu) => 2,
            Some(Self::Silu) => 3,
        }
    }
}
