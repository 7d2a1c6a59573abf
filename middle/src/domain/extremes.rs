//! The minimum and the maximum of two integers.

use super::compare::Comparison;
use super::known::Known;

impl Known {
    /// The results of `min(self, other)`.
    pub(crate) fn min(self, other: Self) -> Self {
        self.chosen(other, Comparison::LessEqual)
    }

    /// The results of `max(self, other)`.
    pub(crate) fn max(self, other: Self) -> Self {
        self.chosen(other, Comparison::GreaterEqual)
    }

    /// The union of the values of each operand for which the comparison with the other operand can hold.
    fn chosen(self, other: Self, op: Comparison) -> Self {
        let left = Self::refine(op, self, other).map(|(left, _)| left);
        let right = Self::refine(op, other, self).map(|(right, _)| right);
        Self::union([left, right].into_iter().flatten()).unwrap_or(self)
    }
}
