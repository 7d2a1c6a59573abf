//! The functions.

/// An activation function of [`activate`](super::activate).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ActivationFunction {
    /// `max(x, 0)`.
    Relu,
    /// `x` times the share of a normal distribution below `x` (Hendrycks and Gimpel, 'Gaussian Error Linear Units',
    /// 2016), with a relative error of that share of 2e-7.
    Gelu,
    /// The approximation of [`Gelu`](Self::Gelu) by `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`.
    GeluTanh,
    /// `x / (1 + exp(-x))`, also called swish.
    Silu,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// `log(1 + exp(x))`.
    Softplus,
    /// `x`, for negative numbers `alpha * (exp(x) - 1)`, with this `alpha`.
    Elu(f32),
    /// `x`, for negative numbers `slope * x`, with this slope.
    LeakyRelu(f32),
    /// `x * clamp(x / 6 + 1 / 2, 0, 1)`.
    Hardswish,
    /// `x * tanh(log(1 + exp(x)))` (Misra, 'Mish', 2019).
    Mish,
}

impl ActivationFunction {
    /// The number in `activation.wgsl`.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Relu => 0,
            Self::Gelu => 1,
            Self::GeluTanh => 2,
            Self::Silu => 3,
            Self::Sigmoid => 4,
            Self::Tanh => 5,
            Self::Softplus => 6,
            Self::Elu(_) => 7,
            Self::LeakyRelu(_) => 8,
            Self::Hardswish => 9,
            Self::Mish => 10,
        }
    }

    /// `alpha` or the slope; 0 for functions without a parameter.
    pub(super) fn parameter(self) -> f32 {
        match self {
            Self::Elu(parameter) | Self::LeakyRelu(parameter) => parameter,
            _ => 0.0,
        }
    }
}
