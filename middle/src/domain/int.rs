//! The type of an integer: its width, and whether it is signed.

/// The type of an integer of 1 to 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Int {
    /// Whether the highest bit is the sign.
    pub(crate) signed: bool,
    /// The number of bits, 1 to 32.
    pub(crate) width: u8,
}

impl Int {
    /// The type `i32`.
    pub(crate) const I32: Self = Self { signed: true, width: 32 };
    /// The type `u32`.
    pub(crate) const U32: Self = Self { signed: false, width: 32 };

    /// The least value of the type.
    pub(crate) fn least(self) -> i64 {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    /// The greatest value of the type.
    pub(crate) fn most(self) -> i64 {
        self.least() + (self.values() - 1)
    }

    /// The number of values of the type: 2 to the width.
    pub(super) fn values(self) -> i64 {
        1 << self.width
    }

    /// A mask of the bits of the type.
    pub(super) fn mask(self) -> u32 {
        u32::MAX >> (32 - self.width)
    }

    /// A mask of the sign bit; 0 for an unsigned type.
    pub(super) fn sign(self) -> u32 {
        if self.signed { 1 << (self.width - 1) } else { 0 }
    }

    /// The bits of a value in two's complement, truncated to the width if the value is out of range.
    pub(super) fn pattern(self, value: i64) -> u32 {
        value as u32 & self.mask()
    }

    /// The value of a bit pattern.
    pub(super) fn value(self, pattern: u32) -> i64 {
        i64::from(pattern) - if pattern & self.sign() == 0 { 0 } else { self.values() }
    }

    /// The unsigned type of the same width.
    pub(super) fn unsigned(self) -> Self {
        Self { signed: false, ..self }
    }
}
