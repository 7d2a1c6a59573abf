//! The ways in which execution can leave a statement, after the specification's behaviour analysis.

/// A set of ways in which execution can leave a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behavior(u8);

impl Behavior {
    pub(crate) const NONE: Self = Self(0);
    /// Execution continues with the next statement.
    pub(crate) const NEXT: Self = Self(1);
    pub(crate) const BREAK: Self = Self(2);
    pub(crate) const CONTINUE: Self = Self(4);
    pub(crate) const RETURN: Self = Self(8);

    pub(crate) fn has(self, way: Self) -> bool {
        self.0 & way.0 != 0
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, ways: Self) -> Self {
        Self(self.0 & !ways.0)
    }

    /// The ways in which execution can leave a statement that is followed by one with the behaviour `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        self.without(Self::NEXT).or(next)
    }

    /// The ways in which execution can leave a `switch`, from those of all its cases together.
    pub(crate) fn of_switch(self) -> Self {
        if self.has(Self::BREAK) { self.without(Self::BREAK).or(Self::NEXT) } else { self }
    }

    /// The ways in which execution can leave a loop, from those of its body and its continuing block together.
    pub(crate) fn of_loop(self) -> Self {
        let left = self.without(Self::BREAK.or(Self::CONTINUE).or(Self::NEXT));
        if self.has(Self::BREAK) { left.or(Self::NEXT) } else { left }
    }
}
