//! The types of keys that can be ordered, and their order in the form that the kernels need.

use half::{bf16, f16};

use crate::element::Element;

/// Types of keys that can be sorted: integers of 8 to 64 bits and floats of 16 to 64 bits, on every device.
pub trait SortKey: Element + sealed::Key {}

impl<K: Element + sealed::Key> SortKey for K {}

/// The order of a key's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Unsigned,
    Signed,
    /// A float; `infinity` has the bits of the last word of the type's infinity.
    Float {
        infinity: u32,
    },
}

pub(crate) mod sealed {
    use super::Kind;

    /// The properties of a key that the kernels need.
    pub trait Key {
        /// The size of a key in bits.
        const BITS: u32;
        /// The order of the key's bits.
        const KIND: Kind;
    }
}

macro_rules! keys {
    ($($rust:ty, $kind:expr;)*) => {$(
        impl sealed::Key for $rust {
            const BITS: u32 = size_of::<$rust>() as u32 * 8;
            const KIND: Kind = $kind;
        }
    )*};
}

keys! {
    u8, Kind::Unsigned; u16, Kind::Unsigned; u32, Kind::Unsigned; u64, Kind::Unsigned;
    i8, Kind::Signed; i16, Kind::Signed; i32, Kind::Signed; i64, Kind::Signed;
    f16, Kind::Float { infinity: 0x7c00_0000 };
    bf16, Kind::Float { infinity: 0x7f80_0000 };
    f32, Kind::Float { infinity: 0x7f80_0000 };
    f64, Kind::Float { infinity: 0x7ff0_0000 };
}

/// The order of keys of one type, for kernels that import `shaders/shared/key_order.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyOrder {
    /// The size of a key in bits.
    pub(crate) bits: u32,
    kind: Kind,
    descending: bool,
    /// Whether the whole order is inverted, so that NaN comes first.
    inverted: bool,
}

impl KeyOrder {
    /// The order of a sort, with NaN last.
    pub(crate) fn of<K: sealed::Key>(descending: bool) -> Self {
        Self { bits: K::BITS, kind: K::KIND, descending, inverted: false }
    }

    /// The reverse of the ascending order, with NaN first.
    pub(crate) fn reversed<K: sealed::Key>() -> Self {
        Self { inverted: true, ..Self::of::<K>(false) }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Float { .. })
    }

    /// Whether a key has two words.
    pub(crate) fn is_wide(&self) -> bool {
        self.bits > 32
    }

    /// The value of the override `key_bits`: the size of a key in bits, or 32 for longer keys, which are compared by
    /// words.
    pub(crate) fn word_bits(&self) -> u32 {
        self.bits.min(32)
    }

    /// The number of keys in a word; 1 for keys that are longer than a word.
    pub(crate) fn keys_of_word(&self) -> u64 {
        u64::from(32 / self.bits).max(1)
    }

    /// The size of a key in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// The value of the uniform `order` in `shaders/shared/key_order.wgsl`.
    pub(crate) fn uniform(&self) -> [u32; 4] {
        let all = |wanted: bool| if wanted { u32::MAX } else { 0 };
        let infinity = if let Kind::Float { infinity } = self.kind { infinity } else { 0 };
        let sign = if self.kind == Kind::Signed { 1 << 31 } else { 0 };
        let flip = all(self.descending);
        [infinity, flip, flip ^ sign, all(self.inverted)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_has_the_bits_to_invert() {
        assert_eq!(KeyOrder::of::<u8>(false).uniform(), [0; 4]);
        assert_eq!(KeyOrder::of::<i64>(true).uniform(), [0, u32::MAX, u32::MAX >> 1, 0]);
        assert_eq!(KeyOrder::reversed::<f16>().uniform(), [0x7c00_0000, 0, 0, u32::MAX]);
        let counted = [KeyOrder::of::<i8>(false), KeyOrder::of::<bf16>(false), KeyOrder::of::<f64>(false)];
        assert_eq!(counted.map(|order| (order.keys_of_word(), order.bytes())), [(4, 1), (2, 2), (1, 8)]);
    }
}
