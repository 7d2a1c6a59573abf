//! The names of operations in the text of a function.

use std::fmt::Debug;

use crate::ir::{AtomicOp, BinaryOp, Class, CompareOp, Convert, MemType, SubgroupOp, TernaryOp, UnaryOp};

/// A type whose values have a printed name that is one word of the text.
pub(super) trait Named: Copy + Debug + 'static {
    /// All values of the type.
    const ALL: &[Self];

    /// The value with this name, if there is one.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| format!("{value:?}") == name)
    }
}

/// Implements [`Named`] for enums. The match is an error of the compiler if a variant is missing in the list.
macro_rules! named {
    ($($type:ident: $($variant:ident)*;)*) => {$(
        impl Named for $type {
            const ALL: &[Self] = &[$(Self::$variant,)*];
        }

        const _: fn($type) = |value| match value {
            $($type::$variant)|* => {}
        };
    )*};
}

named! {
    Class: Bool I32 I64 F32 F64;
    MemType: I32 F32 I64 F64 I16 U16 F16 Bool;
    UnaryOp: Neg Not Abs Clz Ctz Popcount ReverseBits Sqrt Ceil Floor Trunc Nearest RoundF16;
    BinaryOp: Add Sub Mul Div DivS DivU RemS RemU And Or Xor Shl ShrS ShrU MinS MinU MaxS MaxU Min Max;
    TernaryOp: Fma;
    CompareOp: Eq Ne Lt Le LtS LeS LtU LeU;
    Convert: BoolToI32 I32ToF32S I32ToF32U I32ToF64S I32ToF64U I64ToF32S I64ToF32U I64ToF64S I64ToF64U
        F32ToI32S F32ToI32U F32ToI64S F32ToI64U F64ToI32S F64ToI32U F64ToI64S F64ToI64U F32ToF64 F64ToF32
        I32ToI64S I32ToI64U I64ToI32 BitsI32ToF32 BitsF32ToI32 BitsI64ToF64 BitsF64ToI64 HalfBitsToF32 F32ToHalfBits;
    SubgroupOp: Add Mul Min Max MinU MaxU And Or Xor InclusiveAdd InclusiveMul ExclusiveAdd ExclusiveMul Ballot
        Shuffle First;
    AtomicOp: Add Sub And Or Xor MinS MinU MaxS MaxU Exchange CompareExchange Load Store;
}

impl Named for crate::math::LaneFunction {
    const ALL: &[Self] = Self::ALL;
}
