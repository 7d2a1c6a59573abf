//! Results of comparisons, and the operands for which a comparison holds.

use super::known::Known;

/// A comparison of two integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// The comparison that holds exactly if this comparison does not.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The same comparison with its operands swapped.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }
}

impl Known {
    /// Whether `left op right` holds; `None` if that is not known.
    pub(crate) fn compare(op: Comparison, left: Self, right: Self) -> Option<bool> {
        let holds = Self::refine(op, left, right).is_some();
        let fails = Self::refine(op.negated(), left, right).is_some();
        (holds != fails).then_some(holds)
    }

    /// Both operands restricted to the values for which `left op right` can hold; `None` if it never does.
    pub(crate) fn refine(op: Comparison, left: Self, right: Self) -> Option<(Self, Self)> {
        match op {
            Comparison::Equal => left.meet(right).map(|both| (both, both)),
            Comparison::NotEqual => Some((left.other_than(right)?, right.other_than(left)?)),
            Comparison::Less => left.at_most(right.high() - 1).zip(right.at_least(left.low() + 1)),
            Comparison::LessEqual => left.at_most(right.high()).zip(right.at_least(left.low())),
            Comparison::Greater | Comparison::GreaterEqual => {
                Self::refine(op.mirrored(), right, left).map(|(right, left)| (left, right))
            }
        }
    }

    /// The values that are at most `high`.
    fn at_most(self, high: i64) -> Option<Self> {
        self.within(i64::MIN, high)
    }

    /// The values that are at least `low`.
    fn at_least(self, low: i64) -> Option<Self> {
        self.within(low, i64::MAX)
    }

    /// The values without the value of `other`, if `other` has only one value.
    fn other_than(self, other: Self) -> Option<Self> {
        match other.value() {
            Some(value) => Self::union([self.at_most(value - 1), self.at_least(value + 1)].into_iter().flatten()),
            None => Some(self),
        }
    }
}
