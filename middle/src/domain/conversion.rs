//! The same bits, or the same value, as another type.

use super::bits::below;
use super::int::Int;
use super::known::Known;

impl Known {
    /// The same bits as a type of the same width.
    pub(crate) fn bitcast(self, to: Int) -> Self {
        debug_assert_eq!(self.ty().width, to.width);
        self.convert(to)
    }

    /// As a type of any width: cut off, or filled up by the sign of the type that it had.
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
