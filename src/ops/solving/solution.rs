//! The outcome of a solver.

/// The outcome of a solver that has converged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The number of iterations until convergence.
    pub iterations: u32,
    /// `|b - a x| / |b|`, computed from `x` after the last iteration; 0 for `b = 0`.
    pub relative_residual: f64,
}
