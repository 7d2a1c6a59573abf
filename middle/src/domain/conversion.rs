//! Conversions of known integers to other types.

use super::bits::below;
use super::int::Int;
use super::known::Known;

impl Known {
    /// The values of the same bits in another type of the same width.
    pub(crate) fn bitcast(self, to: Int) -> Self {
        debug_assert_eq!(self.ty().width, to.width);
        self.convert(to)
    }

    /// The values after a conversion to a type of any width: truncated, or extended by the signedness of the old type.
    pub(crate) fn convert(self, to: Int) -> Self {
        let from = self.ty();
        let above = !from.mask();
        let bits = if self.zeros() & from.sign() != 0 || !from.signed {
            self.bits().known_zero(above)
        } else if self.ones() & from.sign() != 0 {
            self.bits().known_one(above)
        } else {
            self.bits()
        };
        let bits = bits.within(below(to.width.into()));
        Self::wrapped(to, self.low().into(), self.high().into(), bits)
    }
}
