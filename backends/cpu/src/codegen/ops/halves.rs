//! Permutations of lanes, and the halves of vectors of 128 bits of longer ones.

use cranelift_codegen::ir::{ConstantData, Immediate, InstBuilder, Type, Value, types};

use super::{Emit, Parts};
use crate::emitter::Intrinsic;

/// The source of each 32-bit lane of a result: lanes 0 to 3 of a first vector, or 4 to 7 for those of a second vector.
/// In longer vectors it is the source in each 128 bits.
pub(in super::super) type Pattern = [u8; 4];
/// Every second lane of both vectors, from the first lane on.
pub(in super::super) const EVEN: Pattern = [0, 2, 4, 6];
/// Every second lane of both vectors, from the second lane on.
pub(in super::super) const ODD: Pattern = [1, 3, 5, 7];
/// The lower half of the first vector, then the lower half of the second.
pub(in super::super) const LOW_HALVES: Pattern = [0, 1, 4, 5];
/// The upper half of the first vector, then the upper half of the second.
pub(in super::super) const HIGH_HALVES: Pattern = [2, 3, 6, 7];
/// The upper half of a vector, twice.
pub(super) const HIGH_HALF: Pattern = [2, 3, 2, 3];
/// The lanes of both lower halves, alternating.
pub(in super::super) const ZIP_LOW: Pattern = [0, 4, 1, 5];
/// The lanes of both upper halves, alternating.
pub(in super::super) const ZIP_HIGH: Pattern = [2, 6, 3, 7];

impl Emit<'_, '_> {
    /// Selects lanes of 32 bits from two vectors, in each 128 bits; the result has the type of `a`.
    pub(in super::super) fn permute(&mut self, pattern: Pattern, a: Value, b: Value) -> Value {
        if self.b.func.dfg.value_type(a).bits() > 128 {
            let intrinsic = match pattern {
                ZIP_LOW => Intrinsic::ZipLow,
                ZIP_HIGH => Intrinsic::ZipHigh,
                LOW_HALVES => Intrinsic::ZipLowQuads,
                HIGH_HALVES => Intrinsic::ZipHighQuads,
                // Two lanes of the first vector, then two of the second one.
                _ => Intrinsic::TwoWords(pattern.iter().rev().fold(0, |bits, lane| bits << 2 | lane & 3)),
            };
            return self.intrinsic(intrinsic, &[a, b]);
        }
        self.permute_bytes(std::array::from_fn(|byte| pattern[byte / 4] * 4 + byte as u8 % 4), a, b)
    }

    /// Selects sixteen bytes from the 32 bytes of two vectors of 128 bits, or in each 128 bits from a longer vector, which
    /// is `a` and `b`. Without [`Target::permute`](super::Target), only patterns that are a single instruction are allowed.
    pub(super) fn permute_bytes(&mut self, pattern: [u8; 16], a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        if ty.bits() > 128 {
            let in_bytes = self.bytes();
            let bytes = self.cast(in_bytes, a);
            let pattern = self.vector_of_bytes(in_bytes, &pattern.map(|byte| byte % 16).repeat(self.target.pieces()));
            let out = self.intrinsic(Intrinsic::Bytes, &[bytes, pattern]);
            return self.cast(ty, out);
        }
        let a = self.cast(types::I8X16, a);
        let b = self.cast(types::I8X16, b);
        let pattern: Immediate = self.b.func.dfg.immediates.push(ConstantData::from(&pattern[..]));
        let out = self.b.ins().shuffle(a, b, pattern);
        self.cast(ty, out)
    }

    /// The type of a vector's bytes.
    pub(super) fn bytes(&self) -> Type {
        types::I8.by(self.target.vector_bytes).unwrap_or(types::INVALID)
    }

    /// Vectors of the target's size from vectors of 128 bits.
    pub(in super::super) fn joined(&mut self, pieces: Parts) -> Parts {
        let mut parts = pieces;
        let mut pieces = self.target.pieces();
        while pieces > 1 {
            parts = self.joined_once(&parts);
            pieces /= 2;
        }
        parts
    }

    /// Vectors of twice the size.
    pub(super) fn joined_once(&mut self, halves: &[Value]) -> Parts {
        halves.chunks_exact(2).map(|pair| self.intrinsic(Intrinsic::Join, pair)).collect()
    }

    /// Vectors of 128 bits from vectors of the target's size.
    pub(in super::super) fn halves(&mut self, parts: &[Value]) -> Parts {
        self.split_by(parts, self.target.pieces(), Intrinsic::Piece)
    }

    /// Vectors of half the target's size, which has more than 128 bits.
    pub(super) fn split_once(&mut self, parts: &[Value]) -> Parts {
        let half = if self.target.pieces() > 2 { Intrinsic::Half } else { Intrinsic::Piece };
        self.split_by(parts, 2, half)
    }

    fn split_by(&mut self, parts: &[Value], pieces: usize, piece: fn(u8) -> Intrinsic) -> Parts {
        if pieces == 1 {
            return parts.into();
        }
        let pieces = parts.iter().flat_map(|part| (0..pieces as u8).map(move |number| (piece(number), *part)));
        pieces.map(|(piece, part)| self.intrinsic(piece, &[part])).collect()
    }
}
