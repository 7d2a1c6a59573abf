//! The choice between precise and fast functions.

/// The way in which `f32` functions such as `exp` are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Functions {
    /// `exp`, `exp2`, `log`, `log2` and `tanh` as vector instructions in `f32`, with errors of up to 1.9 ulp (units in the
    /// last place), on processors with fused multiply-add; all others as for [`Functions::Precise`]. This is the default.
    #[default]
    Fast,
    /// All functions in `f64`, with errors below 0.502 ulp.
    Precise,
}
