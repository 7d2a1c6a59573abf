//! The digits by which keys are sorted, one after the other. This module is pure.

use std::ops::Range;

use super::super::ordering::keys::Kind;

/// A digit of the keys: a part of a word of the key, and the bits of this word that are inverted before the digit is
/// read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digit {
    pub(super) word: u32,
    pub(super) shift: u32,
    pub(super) mask: u32,
    pub(super) flip: u32,
}

/// Returns the digits, from the lowest on, of keys of `key_bits` bits that are sorted by the range `bits` of their
/// bits.
pub(super) fn digits(bits: &Range<u32>, key_bits: u32, kind: Kind, descending: bool) -> Vec<Digit> {
    // Shorter keys are in the upper bits of a word.
    let unused = 32u32.saturating_sub(key_bits);
    let (mut low, high) = (bits.start + unused, bits.end + unused);
    let last = (key_bits + unused) / 32 - 1;
    let mut digits = Vec::new();
    while low < high {
        let word = low / 32;
        let end = high.min(low + 8).min((word + 1) * 32);
        let sign = if kind == Kind::Signed && word == last { 1 << 31 } else { 0 };
        let flip = if descending { !sign } else { sign };
        digits.push(Digit { word, shift: low % 32, mask: (1 << (end - low)) - 1, flip });
        low = end;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_digit_for_every_eight_bits() {
        let of = |bits: Range<u32>, key_bits, descending| digits(&bits, key_bits, Kind::Signed, descending);
        let digit = |word, shift, mask, flip| Digit { word, shift, mask, flip };
        let sign = 1 << 31;
        let all = [(0, sign), (8, sign), (16, sign), (24, sign)].map(|(shift, flip)| digit(0, shift, 255, flip));
        assert_eq!(of(0..32, 32, false), all);
        assert_eq!(of(5..15, 32, true), [digit(0, 5, 255, !sign), digit(0, 13, 3, !sign)]);
        // No digit is in two words, and only the last word has the sign.
        assert_eq!(of(28..36, 64, false), [digit(0, 28, 15, 0), digit(1, 0, 15, sign)]);
        assert_eq!(of(0..64, 64, false).len(), 8);
        assert_eq!(of(1..64, 64, true).len(), 8);
        // Short keys are at the upper end of a word.
        assert_eq!(of(0..8, 8, false), [digit(0, 24, 255, sign)]);
        assert_eq!(of(4..16, 16, false), [digit(0, 20, 255, sign), digit(0, 28, 15, sign)]);
    }
}
