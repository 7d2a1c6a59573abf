//! Functions that are instructions of this machine, and that Cranelift's IR lacks. Code calls them by name; the emitter
//! writes the instruction in place of the call.

/// The namespace of the names of these functions.
pub(crate) const NAMESPACE: u32 = 2;

/// A function that is one instruction. Its operands and its result have the types of the call's signature: vectors of 128
/// bits and more. "Halves" are all 128 bits of a longer vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intrinsic {
    /// The 128 bits with the number of the constant.
    Piece(u8),
    /// The half of a vector of 512 bits with the number of the constant.
    Half(u8),
    /// A vector of twice the size, the lower half first.
    Join,
    /// The even lanes of 32 bits of two vectors of 512 bits.
    Evens,
    /// Shifts each lane of 32 or 64 bits by its own amount; zero for amounts of the width and more.
    ShiftLeft,
    /// Like [`Self::ShiftLeft`], to the right with zeros.
    ShiftRight,
    /// Shifts each lane right by its own amount, with the sign also for large amounts: 32 bits, or 64 in 512.
    ShiftSigned,
    /// Lanes of 32 bits of the first operand, at the numbers in the second one, modulo the number of lanes.
    Lanes,
    /// Four lanes of 64 bits at the numbers in the bits of the constant, in each 256 bits.
    Quads(u8),
    /// In each half, two lanes of 32 bits of each operand at the numbers in the bits of the constant.
    TwoWords(u8),
    /// In each half, the two lower lanes of 32 bits of both operands, alternating.
    ZipLow,
    /// Like [`Self::ZipLow`], for the upper lanes.
    ZipHigh,
    /// In each half, the lower lane of 64 bits of both operands.
    ZipLowQuads,
    /// Like [`Self::ZipLowQuads`], for the upper lanes.
    ZipHighQuads,
    /// In each half, bytes of the first operand at the numbers in the second one, or zero for negative numbers.
    Bytes,
    /// In each half, 16 bytes from a position on in the second operand followed by the first one.
    Align(u8),
    /// Doubles of twice the size from floats.
    Promote,
    /// Floats of half the size from doubles.
    Demote,
    /// Estimates of inverse square roots of floats of 512 bits; the relative error is at most 2^-14.
    InverseRoot,
    /// Reads lanes from `base + (index << scale)`, for the operands `(base, index, mask, otherwise)`: lanes whose mask has
    /// no sign bit are those of `otherwise`. Indices have 32 bits, lanes 32 or 64.
    Gather(u8),
    /// Writes lanes to `base + (index << scale)`, for the operands `(base, index, mask, value)`: those whose mask has the sign
    /// bit, in order. Indices and lanes have 32 bits, vectors 512.
    Scatter(u8),
}

/// All functions, with zero for constants: the place in this list is the low byte of a name, the constant the next one.
const ALL: [Intrinsic; 21] = {
    use Intrinsic as I;
    [
        I::Piece(0),
        I::Half(0),
        I::Join,
        I::Evens,
        I::ShiftLeft,
        I::ShiftRight,
        I::ShiftSigned,
        I::Lanes,
        I::Quads(0),
        I::TwoWords(0),
        I::ZipLow,
        I::ZipHigh,
        I::ZipLowQuads,
        I::ZipHighQuads,
        I::Bytes,
        I::Align(0),
        I::Promote,
        I::Demote,
        I::InverseRoot,
        I::Gather(0),
        I::Scatter(0),
    ]
};

impl Intrinsic {
    /// The index of the function's name.
    pub(crate) fn number(self) -> u32 {
        let constant = match self {
            Self::Piece(constant)
            | Self::Half(constant)
            | Self::Quads(constant)
            | Self::TwoWords(constant)
            | Self::Align(constant)
            | Self::Gather(constant)
            | Self::Scatter(constant) => constant,
            _ => 0,
        };
        let plain = self.with(0);
        let place = ALL.iter().position(|one| *one == plain).unwrap_or(0) as u32;
        place | u32::from(constant) << 8
    }

    pub(crate) fn of_number(number: u32) -> Option<Self> {
        let constant = u8::try_from(number >> 8).ok()?;
        Some(ALL.get((number & 0xff) as usize)?.with(constant))
    }

    /// Whether the function changes memory.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Scatter(_))
    }

    /// The function with another constant, if it has one.
    fn with(self, constant: u8) -> Self {
        match self {
            Self::Piece(_) => Self::Piece(constant),
            Self::Half(_) => Self::Half(constant),
            Self::Quads(_) => Self::Quads(constant),
            Self::TwoWords(_) => Self::TwoWords(constant),
            Self::Align(_) => Self::Align(constant),
            Self::Gather(_) => Self::Gather(constant),
            Self::Scatter(_) => Self::Scatter(constant),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_all_functions() {
        for one in ALL {
            for constant in [0, 7, 255] {
                let one = one.with(constant);
                assert_eq!(Intrinsic::of_number(one.number()), Some(one));
            }
        }
        assert_eq!(Intrinsic::of_number(ALL.len() as u32), None);
        assert_eq!(Intrinsic::of_number(1 << 16), None);
    }
}
