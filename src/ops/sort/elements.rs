//! The keys that can be sorted.

use half::{bf16, f16};

use super::plan::Kind;

pub(super) mod sealed {
    use super::Kind;

    /// The properties of a key that the kernels need.
    pub trait Key {
        /// The size in bits.
        const BITS: u32;
        /// The order of the bits.
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
