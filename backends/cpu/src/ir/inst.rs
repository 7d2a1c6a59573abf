//! Instructions, which compute values.

use super::place::Place;
use super::stmt::AtomicOp;
use super::value::{Class, Input, MemType, Value, Var};
use crate::math::LaneFunction;

/// Operations on one value; the result has the operand's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UnaryOp {
    /// Negation: integers wrap, floats flip the sign bit.
    Neg,
    /// Bitwise not of integers, logical not of booleans.
    Not,
    /// Absolute value of a float: clears the sign bit.
    Abs,
    /// Leading zeros of an integer; the width for 0.
    Clz,
    /// Trailing zeros of an integer; the width for 0.
    Ctz,
    /// The number of set bits.
    Popcount,
    /// The bits in reverse order.
    ReverseBits,
    /// Correctly rounded square root.
    Sqrt,
    /// Towards positive infinity.
    Ceil,
    /// Towards negative infinity.
    Floor,
    /// Towards zero.
    Trunc,
    /// To nearest, ties to even.
    Nearest,
    /// The nearest `f16`, as [`Class::F32`]: ties to even, overflow gives infinity.
    RoundF16,
}

/// Operations on two values of one class, with a result of that class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BinaryOp {
    /// Addition: integers wrap.
    Add,
    /// Subtraction: integers wrap.
    Sub,
    /// Multiplication: integers wrap.
    Mul,
    /// Division of floats. Integers: see the signed and unsigned forms.
    Div,
    /// Signed quotient; `x / 0 = x`, `MIN / -1 = MIN`.
    DivS,
    /// Unsigned quotient; `x / 0 = x`.
    DivU,
    /// Signed remainder with the dividend's sign; `x % 0 = 0`, `MIN % -1 = 0`.
    RemS,
    /// Unsigned remainder; `x % 0 = 0`.
    RemU,
    /// Bitwise or logical.
    And,
    /// Bitwise or logical.
    Or,
    /// Bitwise or logical.
    Xor,
    /// Shift left by the second operand modulo the width; both operands have one class.
    Shl,
    /// Arithmetic shift right, in the same way.
    ShrS,
    /// Logical shift right, in the same way.
    ShrU,
    /// The minimum of signed integers.
    MinS,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of signed integers.
    MaxS,
    /// The maximum of unsigned integers.
    MaxU,
    /// The minimum of floats: the other operand if one is NaN; -0 is below +0 or equal to it.
    Min,
    /// The maximum of floats, in the same way.
    Max,
}

/// Operations on three floats of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TernaryOp {
    /// `a * b + c`, rounded once.
    Fma,
}

/// Comparisons of two values of one class; the result is a [`Class::Bool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CompareOp {
    /// Equal (ordered, for floats); any class.
    Eq,
    /// Not equal (or unordered); any class.
    Ne,
    /// Less: floats.
    Lt,
    /// Less or equal: floats.
    Le,
    /// Less: signed integers.
    LtS,
    /// Less or equal: signed integers.
    LeS,
    /// Less: unsigned integers.
    LtU,
    /// Less or equal: unsigned integers.
    LeU,
}

/// Conversions, named by source and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Convert {
    /// `false` is 0, `true` is 1.
    BoolToI32,
    /// Signed integer to float, nearest.
    I32ToF32S,
    /// Unsigned integer to float, nearest.
    I32ToF32U,
    /// Signed integer to double, exact.
    I32ToF64S,
    /// Unsigned integer to double, exact.
    I32ToF64U,
    /// Signed 64-bit integer to float, nearest.
    I64ToF32S,
    /// Unsigned 64-bit integer to float, nearest.
    I64ToF32U,
    /// Signed 64-bit integer to double, nearest.
    I64ToF64S,
    /// Unsigned 64-bit integer to double, nearest.
    I64ToF64U,
    /// Float to signed integer, towards zero, saturating, NaN is 0.
    F32ToI32S,
    /// Float to unsigned integer, in the same way.
    F32ToI32U,
    /// Float to signed 64-bit integer, in the same way.
    F32ToI64S,
    /// Float to unsigned 64-bit integer, in the same way.
    F32ToI64U,
    /// Double to signed integer, in the same way.
    F64ToI32S,
    /// Double to unsigned integer, in the same way.
    F64ToI32U,
    /// Double to signed 64-bit integer, in the same way.
    F64ToI64S,
    /// Double to unsigned 64-bit integer, in the same way.
    F64ToI64U,
    /// Exact.
    F32ToF64,
    /// Nearest.
    F64ToF32,
    /// Sign extension.
    I32ToI64S,
    /// Zero extension.
    I32ToI64U,
    /// The low 32 bits.
    I64ToI32,
    /// The same bits.
    BitsI32ToF32,
    /// The same bits.
    BitsF32ToI32,
    /// The same bits.
    BitsI64ToF64,
    /// The same bits.
    BitsF64ToI64,
    /// The low 16 bits, read as an `f16`.
    HalfBitsToF32,
    /// The nearest `f16`'s bits, zero-extended.
    F32ToHalfBits,
}

impl Convert {
    /// The source and target classes.
    pub(crate) fn classes(self) -> (Class, Class) {
        use Class::{Bool, F32, F64, I32, I64};
        match self {
            Self::BoolToI32 => (Bool, I32),
            Self::I32ToF32S | Self::I32ToF32U | Self::BitsI32ToF32 | Self::HalfBitsToF32 => (I32, F32),
            Self::I32ToF64S | Self::I32ToF64U => (I32, F64),
            Self::I64ToF32S | Self::I64ToF32U => (I64, F32),
            Self::I64ToF64S | Self::I64ToF64U | Self::BitsI64ToF64 => (I64, F64),
            Self::F32ToI32S | Self::F32ToI32U | Self::BitsF32ToI32 | Self::F32ToHalfBits => (F32, I32),
            Self::F32ToI64S | Self::F32ToI64U => (F32, I64),
            Self::F64ToI32S | Self::F64ToI32U => (F64, I32),
            Self::F64ToI64S | Self::F64ToI64U | Self::BitsF64ToI64 => (F64, I64),
            Self::F32ToF64 => (F32, F64),
            Self::F64ToF32 => (F64, F32),
            Self::I32ToI64S | Self::I32ToI64U => (I32, I64),
            Self::I64ToI32 => (I64, I32),
        }
    }
}

/// Operations over the active invocations of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SubgroupOp {
    /// Sum of all.
    Add,
    /// Product of all.
    Mul,
    /// The minimum: floats, or signed integers.
    Min,
    /// The maximum: floats, or signed integers.
    Max,
    /// The minimum of unsigned integers.
    MinU,
    /// The maximum of unsigned integers.
    MaxU,
    /// Bitwise; of booleans: whether all are true.
    And,
    /// Bitwise; of booleans: whether any is true.
    Or,
    /// Bitwise.
    Xor,
    /// The sum over the lanes up to and including this one.
    InclusiveAdd,
    /// The product over the lanes up to and including this one.
    InclusiveMul,
    /// The sum over the lanes before this one.
    ExclusiveAdd,
    /// The product over the lanes before this one.
    ExclusiveMul,
    /// The boolean operands as one word, where bit n is lane n's; inactive lanes are 0. The result is a [`Class::I32`].
    Ballot,
    /// The value of the lane given by the second operand, modulo the subgroup size; for an inactive lane it is
    /// unspecified, but never a fault.
    Shuffle,
    /// The value of the first active lane.
    First,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Inst {
    /// A constant: the low bits of `bits` in the value's class; booleans are 0 and 1.
    Const(Class, u64),
    /// An input; [`Class::I32`].
    Input(Input),
    /// An argument of a called function, by its number in [`Function::arguments`](super::Function::arguments).
    Argument(u32),
    /// The current value of a variable.
    Read(Var),
    /// One operand.
    Unary(UnaryOp, Value),
    /// Two operands.
    Binary(BinaryOp, Value, Value),
    /// Three operands.
    Ternary(TernaryOp, Value, Value, Value),
    /// A comparison.
    Compare(CompareOp, Value, Value),
    /// The second operand where the first is true, otherwise the third.
    Select(Value, Value, Value),
    /// A conversion.
    Convert(Convert, Value),
    /// A function of [`crate::math`]; unary ones ignore the second operand.
    Call(LaneFunction, Value, Value),
    /// Reads up to 4 consecutive scalars. The value is the first; the others are the [`Inst::Part`]s that follow.
    Load(Place, MemType, u8),
    /// Reads and changes a scalar atomically. The result is its old value.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The place.
        place: Place,
        /// The scalar's type: I32, I64 or F32.
        ty: MemType,
        /// The operand.
        value: Value,
        /// The expected value for [`AtomicOp::CompareExchange`].
        compare: Option<Value>,
    },
    /// An operation over the subgroup; the second operand is the lane of a shuffle.
    Subgroup(SubgroupOp, Value, Option<Value>),
    /// A further result of the load or atomic at `of`: component `index` of a load.
    Part {
        /// The instruction.
        of: Value,
        /// The index of the result.
        index: u8,
    },
}

impl Inst {
    /// Whether its value belongs to no list, and is available from the start.
    pub(crate) fn is_floating(&self) -> bool {
        matches!(self, Self::Const(..) | Self::Input(_) | Self::Argument(_))
    }
}
